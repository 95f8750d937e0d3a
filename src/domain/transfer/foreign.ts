/** Imports files of other services: their records become lines, which are written like any others. */
import type { OperationContext } from "../../context.ts";
import { ServiceError } from "../../errors.ts";
import { isCommand } from "../../language/commands.ts";
import type { ImportQuery, ImportReply } from "../../schema/transfer.ts";
import { linesOf } from "./file.ts";
import { readForeign } from "./formats/document.ts";
import { Budget, type MadeLine, type Maker } from "./formats/lines.ts";
import { type ForeignFormat, FORMATS } from "./formats/registry.ts";
import { UNKNOWN_TYPE } from "./changed.ts";
import { importFile, importLines, type RawLine, tryLines } from "./import.ts";
import { EventLoopTurns } from "./turns.ts";

/** Imports a file that is in memory, such as a request's body. */
export async function importBytes(
  ctx: OperationContext,
  bytes: Uint8Array,
  { format, partial, dryRun, tag }: ImportQuery,
): Promise<ImportReply> {
  if (format === "svc") return await importFile(ctx, () => linesOf(bytes), { partial, dryRun });
  return await importForeign(ctx, bytes, format, { tags: tag, dryRun });
}

/** The order in which lines are written: resources that others refer to come first. */
const ORDER = ["session", "turn", "entity", "fact", "relation"];

/**
 * Imports a file of another service.
 * @throws ServiceError `invalid_request` when it is neither a JSON document nor JSONL, `payload_too_large` when it
 * holds too much for one request
 */
export async function importForeign(
  ctx: OperationContext,
  bytes: Uint8Array,
  format: ForeignFormat,
  options: { readonly tags?: readonly string[] | undefined; readonly dryRun?: boolean } = {},
): Promise<ImportReply> {
  const omitted: Record<string, number> = {};
  const omit = (what: string, count = 1) => void (omitted[what] = (omitted[what] ?? 0) + count);
  const maker: Maker = {
    source: format,
    now: ctx.deps.clock().toISOString(),
    actor: ctx.actor,
    tags: options.tags ?? [],
    omit,
    budget: new Budget(),
  };
  const ordered = await makeLines(bytes, format, maker, new EventLoopTurns());
  return await (options.dryRun ? tryLines : importLines)(ctx, {
    format,
    header: null,
    complete: true,
    source: format,
    omitted,
    read: async function* () {
      yield* ordered;
    },
  });
}

/** A memory of another product may hold a command that somebody slipped into it. */
function isCommandLine({ kind, body }: MadeLine & { readonly body?: unknown }): boolean {
  const statement = kind === "fact" ? (body as { readonly statement?: unknown }).statement : undefined;
  return typeof statement === "string" && isCommand(statement);
}

/**
 * Converts a file to lines, in the order in which they are to be written. It yields to other requests between records.
 * @throws ServiceError as `importForeign`
 */
export async function makeLines(
  bytes: Uint8Array,
  format: ForeignFormat,
  maker: Maker,
  turns: EventLoopTurns,
): Promise<RawLine[]> {
  const { shape, open } = FORMATS[format];
  const { records, faults, about, mended } = await readForeign(bytes, shape, turns);
  if (mended > 0) maker.omit("characters that cannot be stored", mended);
  const convert = open(maker, about, records);
  const lines: RawLine[] = [...faults];
  for (const record of records) {
    const before = lines.length;
    try {
      for (const value of convert(record)) {
        if (isCommandLine(value)) maker.omit("commands");
        else lines.push({ no: record.no, bytes: 0, value });
      }
    } catch (error) {
      // A file that holds too much is refused as a whole.
      if (!(error instanceof ServiceError) || error.code === "payload_too_large") throw error;
      lines.push({ no: record.no, bytes: 0, value: undefined, fault: error });
    }
    await turns.take(1 + lines.length - before);
  }
  return await arrange(lines, () => maker.omit("repeated records"), turns);
}

/**
 * Sorts lines into the order of `ORDER`; lines of one kind, such as the turns of a session, keep their own order. A
 * record that occurs several times is imported once. Any record may name an entity or a session, so repeats of these
 * are not reported.
 */
async function arrange(lines: readonly RawLine[], onRepeat: () => void, turns: EventLoopTurns): Promise<RawLine[]> {
  const places = new Map<string, { readonly list: RawLine[]; readonly at: number }>();
  const faults: RawLine[] = [];
  const byKind = ORDER.map((): RawLine[] => []);
  for (const line of lines) {
    await turns.take();
    const { id, kind } = (line.value ?? {}) as { id?: string; kind?: string };
    const list = byKind[ORDER.indexOf(kind ?? "")] ?? faults;
    const place = id === undefined ? undefined : places.get(id);
    if (place === undefined) {
      if (id !== undefined) places.set(id, { list, at: list.length });
      list.push(line);
      continue;
    }
    // A line that only names an entity may come before the one that states its type.
    if (kind === "entity" && isMereName(place.list[place.at]!) && !isMereName(line)) place.list[place.at] = line;
    if (kind !== "entity" && kind !== "session") onRepeat();
  }
  return [faults, ...byKind].flat();
}

function isMereName({ value }: RawLine): boolean {
  return (value as { body?: { entityType?: string } }).body?.entityType === UNKNOWN_TYPE;
}
