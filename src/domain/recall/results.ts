/** Turns rows into the results of a reply, within the limit and the budget of tokens. */
import type { Tx } from "../../db/tx.ts";
import * as queries from "../../db/queries/recall.ts";
import { flagInvisible } from "../../schema/invisible_text.ts";
import type { RecallNeighbour, RecallResult, RecallTier } from "../../schema/recall.ts";
import type { BitsCache } from "./bits_cache.ts";
import type { FusedResult } from "./fusion.ts";
import { addNewer } from "./newer.ts";
import { readNewer } from "./newer_rows.ts";
import { TokenBudget } from "./packing.ts";
import type { RecallRequest } from "./request.ts";
import { sourcesOf } from "./sources.ts";
import type { Respects } from "./respects.ts";
import type { Standing } from "./standing.ts";
import { runLater } from "./store.ts";

/** Turns shown before and after a turn that was found. */
const NEIGHBOURS_REACH = 2;
/** The most pinned units of one reply. */
export const PINNED_MAX = 50;

export interface ShownResult {
  readonly docNo: number;
  readonly fused: FusedResult;
  readonly result: RecallResult;
}

export interface Shown {
  readonly results: readonly ShownResult[];
  readonly pinned: readonly { readonly docNo: number; readonly result: RecallResult }[];
  /** Documents that the budget left out. */
  readonly noRoom: ReadonlySet<number>;
  /** Documents that a bounded unit interrupts, each with the id of that unit. */
  readonly interrupted: ReadonlyMap<number, string>;
  readonly tokens: number;
  readonly roundTrips: number;
}

export function toResult(
  row: Omit<queries.ResultRow, "tripleKey">,
  score: number,
  tier: RecallTier,
  standing?: Outdating,
): RecallResult {
  return {
    id: row.id,
    type: row.type as RecallResult["type"],
    text: row.text,
    ...flagInvisible(row.text),
    score: Math.round(Math.min(1, Math.max(0, score)) * 10_000) / 10_000,
    tier,
    status: row.status,
    contested: row.status === "contested" || row.disputed || standing?.contested === true,
    stale: row.stale,
    attribution: row.attribution as RecallResult["attribution"],
    trustScore: row.trustScore,
    sensitivity: row.sensitivity as RecallResult["sensitivity"],
    pinned: row.pinned,
    occurredAt: row.occurredAt?.toISOString() ?? null,
    validFrom: row.validFrom?.toISOString() ?? null,
    validTo: row.validTo?.toISOString() ?? null,
    citations: (row.citations ?? []) as RecallResult["citations"],
    entityIds: row.entityIds as string[],
    ...(row.sessionId !== null && { sessionId: row.sessionId }),
    ...(row.messageId !== null && { messageId: row.messageId }),
    ...(row.role !== null && { role: row.role }),
    ...(row.name !== null && { name: row.name }),
    tags: row.tags as string[],
    ...(standing?.outdatedBy !== undefined && { outdatedBy: standing.outdatedBy }),
  };
}

/** What outdates a document, for a result that shows it; undefined: the result does not show it. */
type Outdating = Pick<Standing, "outdatedBy" | "contested"> | undefined;

/**
 * Reads the rows of the best results and fits them into the limit and the budget. Pinned units come first and apart;
 * a pinned unit is not shown a second time among the results.
 */
export async function showResults(
  tx: Tx,
  ordered: readonly FusedResult[],
  request: RecallRequest,
  respects: Respects,
  bits: BitsCache,
): Promise<Shown> {
  const sources = sourcesOf(request.kinds);
  const budget = new TokenBudget(request.maxTokens);
  const pinnedRows = request.rows.types.length === 0 ? [] : queries.readPinned(tx, request.rows, PINNED_MAX);
  // Reads some rows more than requested, because pinned ones are taken out and large ones may not fit.
  const chunk = request.maxTokens === undefined ? request.limit + 5 : 3 * request.limit;
  const results: ShownResult[] = [];
  const rows = new Map<number, queries.ResultRow>();
  const noRoom = new Set<number>();
  const interrupted = new Map<number, string>();
  const outdatingOf = (docNo: number): Outdating => {
    const { interruptedBy, outdatedBy, contested } = respects.standingOf(docNo);
    if (interruptedBy === undefined || request.rows.superseded) return { outdatedBy, contested };
    interrupted.set(docNo, interruptedBy);
    return undefined;
  };
  const pinnedRowOf = new Map<number, queries.ResultRow>();
  let pinned: Shown["pinned"] | undefined;
  let roundTrips = 0;
  for (let at = 0; results.length < request.limit && (at === 0 || at < ordered.length); at += chunk) {
    const part = ordered.slice(at, at + chunk);
    const docs = part.map((result) => result.docNo);
    const [first, , ...read] = await Promise.all([
      pinnedRows,
      runLater(respects.read(docs)),
      ...(docs.length === 0 ? [] : sources.map((source) => source.readResults(tx, docs, request.rows))),
    ]);
    roundTrips++;
    if (pinned === undefined) {
      respects.note(first);
      await runLater(respects.read(first.map(({ docNo }) => docNo)));
      for (const row of first) pinnedRowOf.set(row.docNo, row);
      pinned = showPinned(first, ordered, budget, noRoom, outdatingOf);
    }
    const known = new Map(read.flat().map((row) => [row.docNo, row]));
    const shownApart = new Set(pinned.map(({ docNo }) => docNo));
    for (const fused of part) {
      const row = known.get(fused.docNo);
      if (results.length >= request.limit || row === undefined || shownApart.has(fused.docNo)) continue;
      const outdating = outdatingOf(fused.docNo);
      if (outdating === undefined) continue;
      if (!budget.take(row.text)) {
        noRoom.add(fused.docNo);
        continue;
      }
      rows.set(fused.docNo, row);
      const result = toResult(row, fused.relevance, fused.tier, outdating);
      results.push({ docNo: fused.docNo, fused, result });
    }
  }
  const source = await readNewer(
    tx,
    [
      ...results.map(({ docNo, result }) => ({ row: rows.get(docNo)!, result })),
      ...(pinned ?? []).map(({ docNo, result }) => ({ row: pinnedRowOf.get(docNo)!, result })),
    ],
    request,
    bits,
    (row) => toResult(row, 0, "hot"),
  );
  const pointed = addNewer({ results, pinned: pinned ?? [] }, source, { asOf: request.rows.asOf, budget });
  const widened = request.neighbours
    ? await addNeighbours(tx, pointed.results, rows, request, budget)
    : pointed.results;
  return {
    results: widened,
    pinned: pointed.pinned,
    noRoom,
    interrupted,
    tokens: budget.used,
    roundTrips: roundTrips + 1 + (request.neighbours ? 1 : 0),
  };
}

/** Pinned units, with their score if they match the query. */
function showPinned(
  rows: readonly queries.ResultRow[],
  ordered: readonly FusedResult[],
  budget: TokenBudget,
  noRoom: Set<number>,
  outdatingOf: (docNo: number) => Outdating,
): Shown["pinned"] {
  const ranked = new Map(ordered.map((result) => [result.docNo, result]));
  return rows.flatMap((row) => {
    const outdating = outdatingOf(row.docNo);
    if (outdating === undefined) return [];
    if (!budget.take(row.text)) {
      noRoom.add(row.docNo);
      return [];
    }
    const { relevance = 0, tier = "hot" as const } = ranked.get(row.docNo) ?? {};
    return [{ docNo: row.docNo, result: toResult(row, relevance, tier, outdating) }];
  });
}

/** Adds neighbouring turns to turns, the nearest first, as far as the budget allows. */
async function addNeighbours(
  tx: Tx,
  results: readonly ShownResult[],
  rows: ReadonlyMap<number, queries.ResultRow>,
  request: RecallRequest,
  budget: TokenBudget,
): Promise<ShownResult[]> {
  const places = results.flatMap(({ docNo }) => {
    const { sessionId, position } = rows.get(docNo)!;
    return sessionId === null || position === null ? [] : [{ sessionId, position }];
  });
  const found = places.length === 0
    ? []
    : await queries.readNeighbours(tx, places, NEIGHBOURS_REACH, request.rows.knownAt);
  const byPlace = new Map(found.map((row) => [`${row.sessionId} ${row.position}`, row]));
  for (const { sessionId, position } of places) byPlace.delete(`${sessionId} ${position}`);
  return results.map((shown) => {
    const { sessionId, position, type } = rows.get(shown.docNo)!;
    if (type !== "turn") return shown;
    const neighbours: RecallNeighbour[] = [];
    for (const offset of [-1, 1, -2, 2]) {
      const key = `${sessionId} ${position! + offset}`;
      const row = byPlace.get(key);
      if (row === undefined || !budget.take(row.text)) continue;
      // Each turn is shown once, with the first result in the list that has it as a neighbour.
      byPlace.delete(key);
      const { id, messageId, role, name, text } = row;
      const occurredAt = row.occurredAt.toISOString();
      neighbours.push({ id, messageId, offset, role, name, text, ...flagInvisible(text), occurredAt });
    }
    neighbours.sort((a, b) => a.offset - b.offset);
    return { ...shown, result: { ...shown.result, neighbours } };
  });
}
