/** The command line, and the entry of the single binary `svc`. */
import { Command, InvalidArgumentError, Option } from "commander";
import { createDeps, migrateDatabase } from "../app.ts";
import { addAdminCommands } from "./admin.ts";
import { addAuditCommands } from "./audit.ts";
import { addFederationCommands } from "./federation.ts";
import { addKeyCommands, addWorkspaceCommands } from "./keys.ts";
import { operatorIn } from "./operator.ts";
import { parseId, parseKinds, parsePast } from "./parse.ts";
import { readConfig } from "../config.ts";
import type { Deps } from "../context.ts";
import { diagnose } from "../domain/upkeep/doctor.ts";
import { beginExport, tellExport } from "../domain/transfer/export.ts";
import { streamLines } from "../domain/transfer/file.ts";
import { importForeign } from "../domain/transfer/foreign.ts";
import { importFile } from "../domain/transfer/import.ts";
import { ServiceError } from "../errors.ts";
import { OutboundError } from "../outbound/failure.ts";
import { SERVER_VERSION } from "../http/openapi.ts";
import { Service } from "../service.ts";
import { addWebhookCommands } from "./webhooks.ts";
import { IMPORT_FORMATS, type ImportFormat, TRANSFER_KINDS, type TransferKind } from "../schema/transfer.ts";

/** Runs a command's work with the service's parts and takes them down again. */
async function withDeps(work: (deps: Deps) => Promise<void>): Promise<void> {
  await using deps = await createDeps(readConfig());
  // If the database cannot be used, whatever uses it says so; the doctor says more about it.
  await deps.checkSessions().catch(() => {});
  await work(deps);
}

function print(value: unknown): void {
  console.log(JSON.stringify(value, null, 2));
}

export function createCli(): Command {
  const cli = new Command("svc").description("Memory and knowledge for software agents").version(SERVER_VERSION)
    .showHelpAfterError();

  cli.command("serve").description("serve HTTP and RPC until SIGTERM; migrate first on the embedded database").action(
    serve,
  );

  cli.command("migrate").description("apply this build's migrations to the database (needs SVC_OWNER_DATABASE_URL)")
    .action(async () => print({ applied: await migrateDatabase(readConfig()) }));

  addWorkspaceCommands(cli, { withDeps, print });
  addKeyCommands(cli, { withDeps, print });
  addAdminCommands(cli, { withDeps, print });
  addAuditCommands(cli, { withDeps, print });
  addWebhookCommands(cli, { withDeps, print });
  addFederationCommands(cli, { withDeps, print });

  cli.command("export").description("write a workspace as JSONL to standard output")
    .requiredOption("--workspace <id>", "id of the workspace", parseId)
    .option("--as-of <time>", "write what was known at this time; RFC 3339", parsePast)
    .option("--types <list>", `comma-separated: ${TRANSFER_KINDS.join(", ")}`, parseKinds)
    .action((options: ExportFileOptions) => withDeps((deps) => exportFile(deps, options)));
  cli.command("import <file>").description("import a file of any size; importing it again changes nothing")
    .requiredOption("--workspace <id>", "id of the workspace", parseId)
    .addOption(new Option("--format <format>").choices(IMPORT_FORMATS).default("svc"))
    .action((file: string, options: { workspace: string; format: ImportFormat }) =>
      withDeps((deps) => importPath(deps, file, options))
    );

  cli.command("doctor").description("check the configuration, the database and the providers")
    .action(() =>
      withDeps(async (deps) => {
        const report = await diagnose(deps);
        print(report);
        if (!report.ok) Deno.exitCode = 1;
      })
    );
  return cli;
}

interface ExportFileOptions {
  readonly workspace: string;
  readonly asOf?: Date;
  readonly types?: TransferKind[];
}

async function exportFile(deps: Deps, options: ExportFileOptions): Promise<void> {
  const ctx = await operatorIn(deps, options.workspace);
  const what = { asOf: options.asOf?.toISOString(), types: options.types };
  const file = await beginExport(ctx, what);
  // Before the first byte: an export that cannot be recorded is not made.
  await tellExport(ctx, what);
  const writer = Deno.stdout.writable.getWriter();
  for await (const chunk of file) await writer.write(chunk);
  writer.releaseLock();
}

async function importPath(deps: Deps, path: string, options: { workspace: string; format: ImportFormat }) {
  const ctx = await operatorIn(deps, options.workspace);
  const read = async function* () {
    yield* streamLines((await Deno.open(path)).readable);
  };
  const report = options.format === "svc"
    ? await importFile(ctx, read)
    : await importForeign(ctx, await Deno.readFile(path), options.format);
  print(report);
  if (report.failed > 0) Deno.exitCode = 1;
}

async function serve(): Promise<void> {
  const service = await Service.boot(readConfig());
  service.stopOnSignals();
  await service.listen();
}

if (import.meta.main) {
  try {
    await createCli().parseAsync(Deno.args, { from: "user" });
  } catch (error) {
    const isTold = error instanceof ServiceError || error instanceof InvalidArgumentError ||
      error instanceof OutboundError;
    if (!isTold) throw error;
    console.error(error.message);
    Deno.exit(1);
  }
}
