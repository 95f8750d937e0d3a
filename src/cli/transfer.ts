/** `svc export` and `svc import`: a workspace as a file, and files of other products into a workspace. */
import { type Command, Option } from "commander";
import type { Deps } from "../context.ts";
import { beginExport, tellExport } from "../domain/transfer/export.ts";
import { streamLines } from "../domain/transfer/file.ts";
import { importForeign } from "../domain/transfer/foreign.ts";
import { importFile } from "../domain/transfer/import.ts";
import { IMPORT_FORMATS, type ImportFormat, TRANSFER_KINDS, type TransferKind } from "../schema/transfer.ts";
import { operatorIn } from "./operator.ts";
import { parseId, parseKinds, parsePast } from "./parse.ts";
import type { CliParts } from "./parts.ts";
import { openProgress } from "./progress.ts";

export function addExportCommand(cli: Command, { withDeps }: CliParts): void {
  cli.command("export").description("write a workspace as JSONL to standard output")
    .requiredOption("--workspace <id>", "id of the workspace", parseId)
    .option("--as-of <time>", "write what was known at this time; RFC 3339", parsePast)
    .option("--types <list>", `comma-separated: ${TRANSFER_KINDS.join(", ")}`, parseKinds)
    .action((options: ExportFileOptions) => withDeps((deps) => exportFile(deps, options)));
}

export function addImportCommand(cli: Command, { withDeps, print }: CliParts): void {
  cli.command("import <file>").description("import a file of any size; importing it again changes nothing")
    .requiredOption("--workspace <id>", "id of the workspace", parseId)
    .addOption(new Option("--format <format>").choices(IMPORT_FORMATS).default("svc"))
    .action((file: string, options: ImportOptions) =>
      withDeps(async (deps) => {
        const report = await importPath(deps, file, options);
        print(report);
        if (report.failed > 0) Deno.exitCode = 1;
      })
    );
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
  const progress = openProgress("exported");
  try {
    let bytes = 0;
    for await (const chunk of file) {
      await writer.write(chunk);
      bytes += chunk.length;
      progress.show(`${(bytes / 1_048_576).toFixed(1)} MiB`);
    }
  } finally {
    progress.end();
  }
  writer.releaseLock();
}

interface ImportOptions {
  readonly workspace: string;
  readonly format: ImportFormat;
}

async function importPath(deps: Deps, path: string, options: ImportOptions) {
  const ctx = await operatorIn(deps, options.workspace);
  const read = async function* () {
    yield* streamLines((await Deno.open(path)).readable);
  };
  return options.format === "svc"
    ? await importFile(ctx, read)
    : await importForeign(ctx, await Deno.readFile(path), options.format);
}
