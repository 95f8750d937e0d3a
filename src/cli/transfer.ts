/** `svc export` and `svc import`: a workspace as a file, and files of other products into a workspace. */
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Deps } from "../context.ts";
import { beginExport, tellExport } from "../domain/transfer/export.ts";
import { streamLines } from "../domain/transfer/file.ts";
import { importForeign } from "../domain/transfer/foreign.ts";
import { importFile } from "../domain/transfer/import.ts";
import {
  IMPORT_FORMATS,
  type ImportFormat,
  type ImportReply,
  TRANSFER_KINDS,
  type TransferKind,
} from "../schema/transfer.ts";
import { plain } from "./agent/text.ts";
import type { ImportSummary } from "./import/run.ts";
import { summarise } from "./import/summary.ts";
import { readCredentials } from "./agent/credentials.ts";
import { operatorIn, WORKSPACE } from "./operator.ts";
import { parseId, parseKinds, parsePast } from "./parse.ts";
import { parseCount } from "./parse_count.ts";
import type { CliParts } from "./parts.ts";

export function addExportCommand(cli: Command, parts: CliParts): void {
  cli.command("export").description("write a workspace as JSONL to standard output")
    .option(...WORKSPACE)
    .option("--as-of <time>", "write what was known at this time; RFC 3339", parsePast)
    .option("--types <list>", `comma-separated: ${TRANSFER_KINDS.join(", ")}`, parseKinds)
    .action((options: ExportFileOptions) => parts.withDeps((deps) => exportFile(deps, parts, options)));
}

export function addImportCommand(cli: Command, parts: CliParts): void {
  cli.command("import <format-or-file> [path]").description(
    "import a file of any size; importing it again changes nothing",
  )
    .usage(
      `[options] <${
        FOREIGN_FORMATS.join("|")
      }> <file|folder>\n       svc import --workspace <id> [--format <format>] <file>`,
    )
    .option("--dry-run", "only tell what would be imported: counts, samples, what is known already")
    .option("--tag <tag>", "a tag for every fact and session; may be repeated", collect, [])
    .option("--limit <count>", "import only the first records: conversations, memories, files", parseCount(1))
    .option("--json", "print the whole report as JSON")
    .option("--workspace <id>", "write into the database itself, as its operator, and not over HTTP", parseId)
    .addOption(new Option("--format <format>", "of the file, with --workspace; default: svc").choices(IMPORT_FORMATS))
    .addHelpText("after", "\nOver HTTP the service is found by SVC_URL and SVC_KEY, or by the credentials file.")
    .action(async (first: string, path: string | undefined, options: ImportOptions) => {
      const report = options.workspace === undefined
        ? await importOverHttp(parts, first, path, options)
        : await importAsOperator(parts, first, path, { ...options, workspace: options.workspace });
      if (options.json) parts.print(report);
      else for (const line of summarise(report)) await parts.say(plain(line));
      if (report.failed > 0) parts.endWith(1);
    });
}

const FOREIGN_FORMATS = IMPORT_FORMATS.filter((format) => format !== "svc");

function collect(tag: string, tags: readonly string[]): string[] {
  if (tag === "" || tag.length > 64) throw new InvalidArgumentError("not a text of 1 to 64 characters");
  return [...tags, tag];
}

interface ImportOptions {
  readonly dryRun?: true;
  readonly json?: true;
  readonly tag: readonly string[];
  readonly limit?: number;
  readonly workspace?: string;
  readonly format?: ImportFormat;
}

async function importOverHttp(
  { openProgress }: CliParts,
  format: string,
  path: string | undefined,
  options: ImportOptions,
) {
  const known = FOREIGN_FORMATS.find((name) => name === format);
  if (known === undefined || path === undefined) {
    const reason = known === undefined
      ? `${format} is no format; known: ${FOREIGN_FORMATS.join(", ")}`
      : "the file is missing";
    throw new InvalidArgumentError(
      `Cannot import: ${reason}. An export of this service is imported with --workspace <id>`,
    );
  }
  if (options.format !== undefined) throw new InvalidArgumentError("Cannot import: --format is for --workspace");
  const { importRemotely } = await import("./import/run.ts");
  const { url, key } = readCredentials();
  const { dryRun = false, tag: tags, limit } = options;
  const progress = await openProgress(dryRun ? "tried" : "imported");
  const show = ({ records, created, unchanged, failed }: ImportSummary) =>
    progress.show(`${records} records: ${created} new, ${unchanged} known, ${failed} refused`);
  try {
    return await importRemotely({ format: known, path, url, key, dryRun, tags, limit }, show);
  } finally {
    progress.end();
  }
}

async function importAsOperator(
  { withDeps, pathOf }: CliParts,
  file: string,
  path: string | undefined,
  options: ImportOptions & { readonly workspace: string },
) {
  if (path !== undefined) {
    throw new InvalidArgumentError("Cannot import: with --workspace the format is told by --format");
  }
  if (options.limit !== undefined) throw new InvalidArgumentError("Cannot import: --limit is not for --workspace");
  let report: ImportReply | undefined;
  await withDeps(async (deps) => {
    report = await importPath(deps, pathOf(file), options);
  });
  return report!;
}

interface ExportFileOptions {
  readonly workspace?: string;
  readonly asOf?: Date;
  readonly types?: TransferKind[];
}

async function exportFile(
  deps: Deps,
  { write, openProgress }: CliParts,
  options: ExportFileOptions,
): Promise<void> {
  const ctx = await operatorIn(deps, options.workspace);
  const what = { asOf: options.asOf?.toISOString(), types: options.types };
  const file = await beginExport(ctx, what);
  // Recorded before the first byte: an export that cannot be recorded does not begin.
  await tellExport(ctx, what);
  const progress = await openProgress("exported");
  try {
    let bytes = 0;
    for await (const chunk of file) {
      await write(chunk);
      bytes += chunk.length;
      progress.show(`${(bytes / 1_048_576).toFixed(1)} MiB`);
    }
  } finally {
    progress.end();
  }
}

async function importPath(
  deps: Deps,
  path: string,
  options: ImportOptions & { readonly workspace: string },
): Promise<ImportReply> {
  const { format = "svc", dryRun = false, tag: tags } = options;
  if (format === "svc" && tags.length > 0) {
    throw new InvalidArgumentError("Cannot import: --tag is not for the format svc");
  }
  const ctx = await operatorIn(deps, options.workspace);
  const read = async function* () {
    yield* streamLines((await Deno.open(path)).readable);
  };
  return format === "svc"
    ? await importFile(ctx, read, { dryRun })
    : await importForeign(ctx, await Deno.readFile(path), format, { tags, dryRun });
}
