/** Importing files of other services: their records become lines, which are written like any others. */
import type { OperationContext } from "../../context.ts";
import { ServiceError } from "../../errors.ts";
import type { ImportFormat, ImportQuery, ImportReply } from "../../schema/transfer.ts";
import { linesOf } from "./file.ts";
import { type ForeignRecord, readForeign } from "./formats/document.ts";
import { fromMcp, MCP_LISTS } from "./formats/mcp.ts";
import { fromMem0, MEM0_LISTS } from "./formats/mem0.ts";
import { GRAPHITI_LISTS, GraphitiReader } from "./formats/graphiti.ts";
import type { Maker } from "./formats/lines.ts";
import { importFile, importLines, type RawLine, tryLines } from "./import.ts";

export type ForeignFormat = Exclude<ImportFormat, "svc">;

/** Imports a file that is in memory, such as a request's body. */
export async function importBytes(
  ctx: OperationContext,
  bytes: Uint8Array,
  { format, partial, dryRun }: ImportQuery,
): Promise<ImportReply> {
  if (format === "svc") return await importFile(ctx, () => linesOf(bytes), { partial, dryRun });
  return await importForeign(ctx, bytes, format, { dryRun });
}

/**
 * Imports a file of another service.
 * @throws ServiceError `invalid_request` when it is neither a JSON document nor JSONL
 */
export async function importForeign(
  ctx: OperationContext,
  bytes: Uint8Array,
  format: ForeignFormat,
  options: { readonly dryRun?: boolean } = {},
): Promise<ImportReply> {
  const maker: Maker = { source: format, now: ctx.deps.clock().toISOString(), actor: ctx.actor };
  const { lists, convert } = readerOf(format, maker);
  const { records, faults } = readForeign(bytes, lists);
  const lines: RawLine[] = [...faults];
  for (const record of records) {
    try {
      for (const value of convert(record)) lines.push({ no: record.no, bytes: 0, value });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      lines.push({ no: record.no, bytes: 0, value: undefined, fault: error });
    }
  }
  // What others refer to comes first: entities, then facts, then relations.
  const place = (line: RawLine) =>
    ["entity", "fact", "relation"].indexOf((line.value as { kind?: string })?.kind ?? "");
  const ordered = dedupe(lines).sort((a, b) => place(a) - place(b) || a.no - b.no);
  return await (options.dryRun ? tryLines : importLines)(ctx, {
    format,
    header: null,
    complete: true,
    source: format,
    read: async function* () {
      yield* ordered;
    },
  });
}

function readerOf(format: ForeignFormat, maker: Maker) {
  if (format === "mem0") return { lists: MEM0_LISTS, convert: (one: ForeignRecord) => fromMem0(maker, one) };
  if (format === "mcp") return { lists: MCP_LISTS, convert: (one: ForeignRecord) => fromMcp(maker, one) };
  const reader = new GraphitiReader(maker);
  return { lists: GRAPHITI_LISTS, convert: (one: ForeignRecord) => reader.read(one) };
}

/** The same entity or observation may occur many times in the file; it is imported once. */
function dedupe(lines: readonly RawLine[]): RawLine[] {
  const seen = new Set<string>();
  return lines.filter(({ value }) => {
    const id = (value as { id?: string } | undefined)?.id;
    return id === undefined || (!seen.has(id) && seen.add(id));
  });
}
