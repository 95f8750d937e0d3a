/** The command line, and the entry of the single binary `svc`. */
import { Command, InvalidArgumentError, Option } from "commander";
import { createDeps, migrateDatabase } from "./app.ts";
import { addAuditCommands } from "./cli/audit.ts";
import { readConfig, type Region, REGIONS } from "./config.ts";
import type { Deps } from "./context.ts";
import * as access from "./domain/access.ts";
import { diagnose } from "./domain/doctor.ts";
import { beginExport } from "./domain/transfer/export.ts";
import { streamLines } from "./domain/transfer/file.ts";
import { importForeign } from "./domain/transfer/foreign.ts";
import { importFile } from "./domain/transfer/import.ts";
import { ServiceError } from "./errors.ts";
import { SERVER_VERSION } from "./http/openapi.ts";
import { Service } from "./service.ts";
import { isCidr } from "./schema/cidr.ts";
import { SENSITIVITIES, type Sensitivity } from "./schema/common.ts";
import { type Scope, SCOPES } from "./schema/scopes.ts";
import { IMPORT_FORMATS, type ImportFormat, TRANSFER_KINDS, type TransferKind } from "./schema/transfer.ts";

/** Runs a command's work with the service's parts and takes them down again. */
async function withDeps(work: (deps: Deps) => Promise<void>): Promise<void> {
  await using deps = await createDeps(readConfig());
  await work(deps);
}

function print(value: unknown): void {
  console.log(JSON.stringify(value, null, 2));
}

function parseScopes(text: string): Scope[] {
  const scopes = text.split(",").map((scope) => scope.trim());
  const unknown = scopes.filter((scope) => !SCOPES.includes(scope as Scope));
  if (unknown.length > 0) throw new InvalidArgumentError(`unknown: ${unknown.join(", ")}. Known: ${SCOPES.join(", ")}`);
  return scopes as Scope[];
}

function parseCidrs(text: string): string[] {
  const ranges = text.split(",").map((range) => range.trim());
  const wrong = ranges.filter((range) => !isCidr(range));
  if (wrong.length > 0) throw new InvalidArgumentError(`not a range, or with host bits: ${wrong.join(", ")}`);
  return ranges;
}

function parseCount(min: number): (text: string) => number {
  return (text) => {
    const count = Number(text);
    if (!/^\d{1,7}$/.test(text) || count < min) throw new InvalidArgumentError(`not a whole number from ${min}`);
    return count;
  };
}

function parseExpiry(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime()) || date <= new Date()) throw new InvalidArgumentError("not a time in the future");
  return date;
}

function parsePast(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime()) || date > new Date()) throw new InvalidArgumentError("not a time in the past");
  return date;
}

function parseKinds(text: string): TransferKind[] {
  const kinds = text.split(",").map((kind) => kind.trim());
  const unknown = kinds.filter((kind) => !TRANSFER_KINDS.includes(kind as TransferKind));
  if (unknown.length > 0) throw new InvalidArgumentError(`unknown: ${unknown.join(", ")}`);
  return kinds as TransferKind[];
}

export function createCli(): Command {
  const cli = new Command("svc").description("Memory and knowledge for software agents").version(SERVER_VERSION)
    .showHelpAfterError();

  cli.command("serve").description("serve HTTP until SIGTERM; migrates first on the embedded database").action(serve);

  cli.command("migrate").description("bring the database up to this build (needs SVC_OWNER_DATABASE_URL)")
    .action(async () => print({ applied: await migrateDatabase(readConfig()) }));

  const workspace = cli.command("workspace").description("workspaces");
  workspace.command("create").description("create a workspace; its region never changes")
    .requiredOption("--name <name>", "1 to 200 characters")
    .addOption(new Option("--region <region>").choices(REGIONS).default(REGIONS[0]))
    .action((options: { name: string; region: Region }) =>
      withDeps(async (deps) => print({ workspaceId: await access.createWorkspace(deps, options) }))
    );
  workspace.command("list").description("list all workspaces")
    .action(() => withDeps(async (deps) => print(await access.listWorkspaces(deps))));

  const key = cli.command("key").description("API keys");
  key.command("create").description("create a key; it is shown once")
    .requiredOption("--workspace <id>")
    .requiredOption("--name <name>", "1 to 200 characters")
    .option("--scopes <list>", "comma-separated", parseScopes, [...access.DEFAULT_SCOPES])
    .addOption(new Option("--max-sensitivity <level>").choices(SENSITIVITIES).default("confidential"))
    .option("--expires <time>", "RFC 3339", parseExpiry)
    .option("--cidrs <list>", "comma-separated ranges that it may be used from", parseCidrs)
    .option("--per-minute <requests>", "its own rate limit; 0 = none", parseCount(0))
    .option("--burst <requests>", "how many of them may come at once", parseCount(1))
    .action((options: CreateKeyOptions) => withDeps((deps) => createKey(deps, options)));
  key.command("list").description("list a workspace's keys, without secrets")
    .requiredOption("--workspace <id>")
    .action((options: { workspace: string }) =>
      withDeps(async (deps) => print(await access.listApiKeys(access.operatorContext(deps, options.workspace))))
    );
  key.command("revoke <keyId>").description("revoke a key; every process refuses it within a second")
    .requiredOption("--workspace <id>")
    .action((keyId: string, options: { workspace: string }) =>
      withDeps(async (deps) => {
        await access.revokeApiKey(access.operatorContext(deps, options.workspace), keyId);
        print({ revoked: keyId });
      })
    );

  addAuditCommands(cli, { withDeps, print });

  cli.command("export").description("write a workspace as JSONL to standard output")
    .requiredOption("--workspace <id>")
    .option("--as-of <time>", "what was known then; RFC 3339", parsePast)
    .option("--types <list>", `comma-separated: ${TRANSFER_KINDS.join(", ")}`, parseKinds)
    .action((options: ExportFileOptions) => withDeps((deps) => exportFile(deps, options)));
  cli.command("import <file>").description("import a file of any size; importing it again changes nothing")
    .requiredOption("--workspace <id>")
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
  const ctx = access.operatorContext(deps, options.workspace);
  const file = await beginExport(ctx, { asOf: options.asOf?.toISOString(), types: options.types });
  const writer = Deno.stdout.writable.getWriter();
  for await (const chunk of file) await writer.write(chunk);
  writer.releaseLock();
}

async function importPath(deps: Deps, path: string, options: { workspace: string; format: ImportFormat }) {
  const ctx = access.operatorContext(deps, options.workspace);
  const read = async function* () {
    yield* streamLines((await Deno.open(path)).readable);
  };
  const report = options.format === "svc"
    ? await importFile(ctx, read)
    : await importForeign(ctx, await Deno.readFile(path), options.format);
  print(report);
  if (report.failed > 0) Deno.exitCode = 1;
}

interface CreateKeyOptions {
  readonly workspace: string;
  readonly name: string;
  readonly scopes: Scope[];
  readonly maxSensitivity: Sensitivity;
  readonly expires?: Date;
  readonly cidrs?: string[];
  readonly perMinute?: number;
  readonly burst?: number;
}

async function createKey(deps: Deps, options: CreateKeyOptions): Promise<void> {
  const created = await access.createApiKey(access.operatorContext(deps, options.workspace), {
    name: options.name,
    scopes: options.scopes,
    maxSensitivity: options.maxSensitivity,
    ...(options.expires && { expiresAt: options.expires }),
    ...(options.cidrs && { cidrs: options.cidrs }),
    ...((options.perMinute !== undefined || options.burst !== undefined) && {
      rateLimit: {
        perMinute: options.perMinute ?? deps.config.rateLimit.perMinute,
        burst: options.burst ?? deps.config.rateLimit.burst,
      },
    }),
  });
  print({ ...created, note: "Keep the key: it is not stored and not shown again." });
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
    if (!(error instanceof ServiceError)) throw error;
    console.error(error.message);
    Deno.exit(1);
  }
}
