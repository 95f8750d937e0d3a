/**
 * Imports a complete file, line by line, in transactions of many lines.
 *
 * A file is checked before anything of it is imported. Lines are applied in the order of the file; the report names
 * refused ones, which do not hold up the others. Importing the same file again changes nothing, so if an import is
 * interrupted, sending the file again completes it.
 */
import type { OperationContext } from "../../context.ts";
import { isUuid } from "../../crypto/ids.ts";
import { errorCode } from "../../db/pool.ts";
import { ServiceError } from "../../errors.ts";
import { checkInput } from "../../schema/field_errors.ts";
import { parseJson } from "../../schema/json_text.ts";
import type { ImportReply, TransferKind } from "../../schema/transfer.ts";
import { UNIT_TYPES } from "../../schema/unit.ts";
import { rulesOf } from "../unit/rules.ts";
import { findAbove, readAbove } from "./above_clearance.ts";
import { type FileLine, type FileReader, LINE_BYTES_MAX, tooLong, verifyFile } from "./file.ts";
import { IdMap } from "./id_map.ts";
import type { Importing, LineOutcome, ReadAbove, Refusal } from "./line_kind.ts";
import { LINE_KINDS } from "./registry.ts";
import { type Fault, type Line, Report, type Reported } from "./report.ts";
import { Samples } from "./samples.ts";
import { inTrial } from "./trial.ts";

/** Lines of one transaction. */
const BATCH_LINES = 250;
/** Versions of one unit stay together, up to this many lines. */
const BATCH_LINES_MAX = 1_000;
const BATCH_BYTES = 1_048_576;
/** A batch does far more than a request's usual work. */
const BATCH_DEADLINE_MS = 60_000;

/**
 * Imports a file of this service. It reads the file three times: to check it, to find ids that are taken, and to write
 * it. With `partial`, an incomplete file is imported as far as it goes.
 * @throws ServiceError `invalid_request`, `validation_failed` when nothing of the file can be imported; `unavailable`
 * and other errors that ask for a retry: written lines stay, and the next import goes on from there.
 */
export async function importFile(
  ctx: OperationContext,
  read: FileReader,
  options: { readonly partial?: boolean; readonly dryRun?: boolean } = {},
): Promise<ImportReply> {
  const { header, lines, complete } = await verifyFile(read, options.partial);
  return await (options.dryRun ? tryLines : importLines)(ctx, {
    format: "svc",
    header,
    complete,
    source: `${header.instance}/${header.workspace}`,
    read: () => readBetween(read, lines),
  });
}

/** The source of an import, whatever its file was. */
export interface ImportSource extends Reported {
  /** The name of the place where the ids come from. */
  readonly source: string;
  readonly read: () => AsyncIterable<RawLine>;
}

/** A line that has been read but not validated, or could not be read. */
export interface RawLine {
  readonly no: number;
  readonly bytes: number;
  readonly value: unknown;
  readonly fault?: ServiceError;
}

async function* readBetween(read: FileReader, count: number): AsyncGenerator<RawLine, void> {
  for await (const line of read()) if (line.no > 1 && line.no <= count + 1) yield toRaw(line);
}

function toRaw({ no, bytes }: FileLine): RawLine {
  const size = bytes.byteLength;
  try {
    if (size > LINE_BYTES_MAX) throw tooLong(no);
    return { no, bytes: size, value: parseJson(bytes) };
  } catch (error) {
    if (error instanceof ServiceError) return { no, bytes: size, value: undefined, fault: error };
    throw error;
  }
}

export async function importLines(ctx: OperationContext, source: ImportSource): Promise<ImportReply> {
  const report = new Report(source);
  await writeLines(ctx, readAbove(ctx), source, report);
  return report.done();
}

/**
 * Imports lines in a transaction that is undone, and reports their outcomes.
 * @throws ServiceError `deadline_exceeded` when it takes too long
 */
export async function tryLines(ctx: OperationContext, source: ImportSource): Promise<ImportReply> {
  const report = new Report(source, new Samples());
  await inTrial(ctx, (trial, above) => writeLines(trial, above, source, report));
  const reply = report.done();
  const { format, lines, created, updated, unchanged, failed } = reply;
  const detail = { format, lines, created, updated, unchanged, failed };
  await ctx.tx((tx) => Promise.resolve(tx.audit({ eventType: "import.previewed", detail })));
  return reply;
}

async function writeLines(
  ctx: OperationContext,
  readAbove: ReadAbove,
  source: ImportSource,
  report: Report,
): Promise<void> {
  const ids = await ctx.tx((tx) => IdMap.open(tx, source.source), { readOnly: true });
  const importing: Importing = {
    ctx,
    readAbove,
    ids,
    keepsAuthors: ctx.scopes.has("memory:admin"),
    withheld: new WeakMap(),
    isForeign: source.header === null,
    named: new Map(UNIT_TYPES.map((type) => [type, { ids: new Set(), erasedIds: new Set() }])),
  };
  for await (const batch of batches(source.read(), () => {})) await findTakenIds(importing, batch);
  for await (const batch of batches(source.read(), (fault) => report.refuse(fault))) {
    await writeBatch(importing, batch, report);
  }
  await followAll(importing);
}

/** Groups successive lines of one kind; lines that cannot be read go to `onFault`. */
async function* batches(lines: AsyncIterable<RawLine>, onFault: (fault: Fault) => void): AsyncGenerator<Line[], void> {
  let batch: Line[] = [];
  let bytes = 0;
  for await (const raw of lines) {
    const line = accept(raw);
    if ("refusal" in line) {
      onFault(line);
      continue;
    }
    const last = batch.at(-1);
    const isFull = batch.length >= BATCH_LINES || bytes >= BATCH_BYTES;
    const continues = last !== undefined && last.kind === line.kind &&
      (!isFull || (last.line.id !== undefined && last.line.id === line.line.id && batch.length < BATCH_LINES_MAX));
    if (last !== undefined && !continues) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(line);
    bytes += line.bytes;
  }
  if (batch.length > 0) yield batch;
}

function accept({ no, bytes, value, fault }: RawLine): Line | Fault {
  const { kind: name, id } = (value ?? {}) as { kind?: unknown; id?: unknown };
  const about = {
    no,
    kind: typeof name === "string" && LINE_KINDS.has(name as TransferKind) ? name : null,
    id: typeof id === "string" ? id.slice(0, 36) : null,
  };
  if (fault !== undefined) return { ...about, refusal: fault };
  const kind = about.kind === null ? undefined : LINE_KINDS.get(about.kind as TransferKind);
  if (kind === undefined) {
    return { ...about, refusal: { code: "validation_failed", message: "Cannot import: its kind is not known" } };
  }
  const { data, faults } = checkInput(kind.schema, value);
  if (faults === undefined) return { no, bytes, kind, line: data };
  const { path, message } = faults.told()[0]!;
  return { ...about, refusal: { code: "validation_failed", message: `Cannot import: ${path || "line"}: ${message}` } };
}

/**
 * Gives other ids to lines whose own belongs to something else here. If that is above the key's clearance, nothing
 * shows it: the line gets its other id for this import alone, and the report does not count it.
 */
async function findTakenIds(importing: Importing, batch: readonly Line[]): Promise<void> {
  const { ctx, ids } = importing;
  goOn(ctx);
  const hidden = await findAbove(importing, batch.flatMap(({ line }) => ownIdOf(line) ?? []));
  ids.hide(ctx.workspaceId, hidden);
  const find = batch[0]!.kind.findClashes;
  const lines = batch.map(({ line }) => line).filter((line) => !ids.has(line.id) && !hidden.has(line.id));
  if (find === undefined || lines.length === 0) return;
  const clashes = await ctx.tx((tx) => find(importing, tx, lines), { readOnly: true });
  if (clashes.length === 0) return;
  await ctx.tx((tx) =>
    ids.add(tx, clashes.map(({ id, localId }) => ({ sourceId: id, localId: localId ?? ids.derive(tx, id) })))
  );
}

function ownIdOf(line: { readonly id?: unknown; readonly row?: { readonly id?: unknown } }): string | undefined {
  const id = line.id ?? line.row?.id;
  return typeof id === "string" && isUuid(id) ? id : undefined;
}

async function writeBatch(importing: Importing, batch: readonly Line[], report: Report): Promise<void> {
  goOn(importing.ctx);
  const { ctx, ids } = importing;
  const { kind } = batch[0]!;
  const lines: object[] = batch.map(({ line }) => kind.mapIds(line, ids.get));
  let outcomes: LineOutcome[];
  try {
    const prepared = await kind.prepare?.(importing, lines);
    outcomes = await ctx.tx((tx) => kind.write(importing, tx, lines, prepared), { deadlineMs: BATCH_DEADLINE_MS });
  } catch (error) {
    const refusal = toRefusal(error);
    if (refusal === undefined) throw error;
    // One line fails the whole transaction: the batch is halved until that line stands alone.
    if (batch.length === 1) return report.add(batch[0]!, refusal, ids);
    const half = Math.ceil(batch.length / 2);
    await writeBatch(importing, batch.slice(0, half), report);
    return await writeBatch(importing, batch.slice(half), report);
  }
  outcomes.forEach((outcome, i) => {
    report.add(batch[i]!, outcome, ids);
    if (outcome === "created" || outcome === "updated") report.withhold(importing.withheld.get(lines[i]!));
  });
}

/** Runs the follow-ups of the kinds for units that the file names, even if an earlier import wrote their lines. */
async function followAll({ ctx, named }: Importing): Promise<void> {
  for (const [type, { ids, erasedIds }] of named) {
    const { onNamed } = rulesOf(type);
    if (onNamed === undefined) continue;
    const all = [...erasedIds, ...ids];
    for (let at = 0; at < all.length; at += BATCH_LINES) {
      goOn(ctx);
      const some = all.slice(at, at + BATCH_LINES);
      const isErased = (id: string) => erasedIds.has(id);
      const batch = { ids: some.filter((id) => !isErased(id)), erasedIds: some.filter(isErased) };
      await ctx.tx((tx) => onNamed(tx, batch), { deadlineMs: BATCH_DEADLINE_MS });
    }
  }
}

/** The refusal for an error that a line's own content caused; undefined for errors that another attempt may avoid. */
function toRefusal(error: unknown): Refusal | undefined {
  if (error instanceof ServiceError) {
    return error.retryable || error.status >= 500 ? undefined : { code: error.code, message: error.message };
  }
  // Classes 22 and 23: a value or a constraint that the database refuses.
  if (!/^2[23]/.test(errorCode(error) ?? "")) return undefined;
  return { code: "validation_failed", message: "Cannot import: the database refuses its values" };
}

/** Checked between two batches: the import ends here if the service stops or the caller has disconnected. */
function goOn(ctx: OperationContext): void {
  ctx.deps.stopping.throwIfAborted();
  ctx.signal.throwIfAborted();
}
