/** `svc import <format> <file>`: sends the pieces of a product's files one after another and adds up the answers. */
import { ServiceError } from "../../errors.ts";
import type { ForeignFormat } from "../../domain/transfer/formats/registry.ts";
import { IMPORT_ERRORS_MAX, IMPORT_SAMPLES_MAX, type ImportReply } from "../../schema/transfer.ts";
import { createClient } from "../../../clients/typescript/mod.ts";
import { cutPieces, type ImportPosition, type Notes, type Piece } from "./pieces.ts";
import { openSource } from "./source.ts";

export interface RemoteImport {
  readonly format: ForeignFormat;
  readonly path: string;
  readonly url: string;
  readonly key: string;
  readonly dryRun: boolean;
  readonly tags: readonly string[];
  /** The most records to import. */
  readonly limit: number | undefined;
}

/** The result for all files. */
export interface ImportSummary {
  readonly format: ForeignFormat;
  dryRun?: true;
  files: number;
  records: number;
  lines: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  readonly kinds: Record<string, ImportReply["kinds"][string]>;
  readonly withheld: Record<string, number>;
  readonly omitted: Record<string, number>;
  readonly errors: (Omit<ImportReply["errors"][number], "line"> & { readonly file: string; readonly line: number })[];
  errorsOmitted: number;
  samples?: NonNullable<ImportReply["samples"]>;
  /** Whether `--limit` ended it, so that the files hold more. */
  limited?: true;
}

/** The longest time for one piece. */
const PIECE_TIMEOUT_MS = 300_000;

/**
 * Imports a file or folder over HTTP. After an interruption, importing it again completes it.
 * @param onProgress called after each piece
 * @throws ServiceError for files that cannot be read; SvcError for refusals by the service
 */
export async function importRemotely(
  options: RemoteImport,
  onProgress: (summary: ImportSummary) => void,
): Promise<ImportSummary> {
  const { format, dryRun, tags, limit } = options;
  const client = createClient({ url: options.url, key: options.key, timeoutMs: PIECE_TIMEOUT_MS });
  const summary = emptySummary(format, dryRun);
  const notes: Notes = {
    omit: (what, count = 1) => void (summary.omitted[what] = (summary.omitted[what] ?? 0) + count),
    fault: ({ file, no }, message) =>
      addError(summary, { file, line: no, kind: null, id: null, code: "payload_too_large", message }),
  };
  await using source = await openSource(options.path, format);
  summary.files = source.entries.length;
  if (source.others > 0) notes.omit("files that hold no memories", source.others);
  for await (const whole of cutPieces(format, source.entries, notes)) {
    const piece = limit === undefined ? whole : shorten(whole, limit - summary.records);
    if (piece === undefined) {
      summary.limited = true;
      break;
    }
    const reply = await client.importMemory({
      format,
      ...(dryRun && { dryRun }),
      ...(tags.length > 0 && { tag: [...tags] }),
      file: piece.bytes,
    });
    addReply(summary, reply, piece.places);
    onProgress(summary);
    if (piece !== whole) {
      summary.limited = true;
      break;
    }
  }
  if (summary.records === 0 && summary.failed === 0 && Object.keys(summary.omitted).length === 0) {
    throw new ServiceError("invalid_request", `Cannot import: ${options.path} is empty`);
  }
  return summary;
}

/** A piece with only its first records; undefined for none. Pieces whose records need each other stay whole. */
function shorten(piece: Piece, records: number): Piece | undefined {
  if (records <= 0) return undefined;
  return piece.places.length <= records ? piece : piece.take(records);
}

function emptySummary(format: ForeignFormat, dryRun: boolean): ImportSummary {
  return {
    format,
    ...(dryRun && { dryRun }),
    ...{ files: 0, records: 0, lines: 0, created: 0, updated: 0, unchanged: 0, failed: 0 },
    ...{ kinds: {}, withheld: {}, omitted: {}, errors: [], errorsOmitted: 0 },
    ...(dryRun && { samples: [] }),
  };
}

function addError(summary: ImportSummary, error: ImportSummary["errors"][number]): void {
  summary.failed++;
  if (summary.errors.length < IMPORT_ERRORS_MAX) summary.errors.push(error);
  else summary.errorsOmitted++;
}

function addReply(summary: ImportSummary, reply: ImportReply, places: readonly ImportPosition[]): void {
  summary.records += places.length;
  for (const name of ["lines", "created", "updated", "unchanged", "failed"] as const) summary[name] += reply[name];
  for (const [kind, counts] of Object.entries(reply.kinds)) {
    const known = summary.kinds[kind] ??= { created: 0, updated: 0, unchanged: 0, failed: 0 };
    for (const name of Object.keys(counts) as (keyof typeof counts)[]) known[name] += counts[name];
  }
  for (const name of ["withheld", "omitted"] as const) {
    for (const [what, count] of Object.entries(reply[name])) summary[name][what] = (summary[name][what] ?? 0) + count;
  }
  for (const { line, ...error } of reply.errors) {
    const place = places[line - 1];
    if (summary.errors.length >= IMPORT_ERRORS_MAX) summary.errorsOmitted++;
    else summary.errors.push({ file: place?.file ?? places[0]!.file, line: place?.no ?? line, ...error });
  }
  summary.errorsOmitted += reply.errorsOmitted;
  if (summary.samples !== undefined) {
    const samples = (reply.samples ?? []).map((sample) => ({
      ...sample,
      line: places[sample.line - 1]?.no ?? sample.line,
    }));
    summary.samples = [...summary.samples, ...samples].slice(0, IMPORT_SAMPLES_MAX);
  }
}
