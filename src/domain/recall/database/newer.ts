/** Reads the newer statements of some results from the database. */
import type { OperationContext } from "../../../context.ts";
import { compareVectors } from "../../../db/queries/nearest_texts.ts";
import { readNewerLinks } from "../../../db/queries/newer_links.ts";
import type { RowFilter } from "../../../db/queries/recall_filters.ts";
import { findUnits } from "../../../db/queries/units.ts";
import type { Tx } from "../../../db/tx.ts";
import { SAME_SCALE } from "../../../retrieval/mod.ts";
import { type Kind, KINDS } from "../../../schema/common.ts";
import type { SoughtUnits } from "../../../schema/knowledge_unit.ts";
import type { NewerStatement, RecallResult } from "../../../schema/recall.ts";
import { UNIT_TYPES } from "../../../schema/unit.ts";
import { TokenBudget } from "../../common/tokens.ts";
import { citedPlaces, pointToNewer, toldAt } from "../search/newer/newer.ts";
import type { RecallRequest } from "../search/request.ts";
import type { FilteredStatement, NewerSource, QueryVector } from "../search/store.ts";
import { type BitsCache, bitsCacheOf, readCandidates, readResults, type RowText } from "./candidates.ts";

/** What reading takes besides the transaction. */
export interface NewerMeans {
  readonly bits: BitsCache;
  readonly query: QueryVector | undefined;
}

/**
 * Reads the links of results and the newer statements, as far as the filters of the request let them through.
 */
export async function readNewer(
  tx: Tx,
  shown: readonly { readonly text: RowText; readonly result: RecallResult }[],
  request: Pick<RecallRequest, "kinds" | "rows">,
  { bits, query }: NewerMeans,
): Promise<NewerSource> {
  const cited = shown.flatMap(({ result }) => citedPlaces(result.citations));
  const { links, turns } = shown.length === 0
    ? { links: [], turns: [] }
    : await readNewerLinks(tx, shown.map(({ result }) => result.id), cited);
  const told = new Map(shown.map(({ text, result }): [string, FilteredStatement] => [
    result.id,
    { docNo: text.docNo, text, result, at: toldAt(text.row) },
  ]));
  const docs = [...new Set(links.flatMap(({ newerId, newerNo }) => told.has(newerId) ? [] : newerNo))];
  const compared = [...new Set([...shown.map(({ text }) => text.docNo), ...links.map(({ newerNo }) => newerNo)])];
  const near = query === undefined || links.length === 0
    ? []
    : compareVectors(tx, compared, { ...query, limit: compared.length });
  const [passed, texts] = docs.length === 0 ? [[], []] : await Promise.all([
    readCandidates(tx, request, { units: docs, turns: docs }, bits),
    readResults(tx, request, docs),
  ]);
  const eligible = new Set(passed.map(({ data }) => data.doc));
  for (const text of texts) {
    if (!eligible.has(text.docNo)) continue;
    told.set(text.row.id, { docNo: text.docNo, text, result: text.result, at: toldAt(text.row) });
  }
  const { slope, offset } = query?.scale ?? SAME_SCALE;
  const nearness = new Map((await near).map(({ docNo, similarity }) => [docNo, slope * similarity + offset]));
  const ofOlder = Map.groupBy(links, ({ olderId }) => olderId);
  const turnAt = new Map(turns.map(({ id, sessionId, messageId }) => [`${sessionId} ${messageId}`, id]));
  return {
    linksOf: (id) => (ofOlder.get(id) ?? []).map(({ newerId, strength, words }) => ({ id: newerId, strength, words })),
    turnOf: (sessionId, messageId) => turnAt.get(`${sessionId} ${messageId}`),
    find: (id) => told.get(id),
    nearness: (docNo) => nearness.get(docNo),
  };
}

const ALL_KINDS = Object.keys(KINDS) as Kind[];

/**
 * Finds the newer statements of units in force, as far as the transaction's clearance sees them and they hold now.
 * @param docs the numbers of the units' texts
 * @param most pointers; the strongest are kept
 * @returns by the units' ids
 */
export async function findNewerOf(
  tx: Tx,
  docs: readonly number[],
  { bits, most }: { readonly bits: BitsCache; readonly most: number },
): Promise<ReadonlyMap<string, NewerStatement>> {
  if (docs.length === 0) return new Map();
  const rows = inForceAt(tx.now);
  const shown = (await readResults(tx, { kinds: UNIT_TYPES, rows }, docs)).map((text) => ({
    text,
    result: text.result,
  }));
  const source = await readNewer(tx, shown, { kinds: ALL_KINDS, rows }, { bits, query: undefined });
  const pointed = pointToNewer(shown, source, { rows, budget: new TokenBudget(undefined), most });
  return new Map(pointed.flatMap(({ result: { id, newer } }) => newer === undefined ? [] : [[id, newer] as const]));
}

/** Adds to units that were read by their ids what was said later about their matters. */
export async function addNewerOf(ctx: OperationContext, units: SoughtUnits): Promise<SoughtUnits> {
  const ids = units.data.flatMap(({ id, type }) => type === "fact" ? [id] : []);
  if (ids.length === 0) return units;
  const bits = bitsCacheOf(ctx.deps);
  const newer = await ctx.tx(async (tx) => {
    const rows = await findUnits(tx, ids);
    return await findNewerOf(tx, rows.map(({ docNo }) => docNo), { bits, most: rows.length });
  }, { readOnly: true });
  const data = units.data.map((one) => {
    const later = newer.get(one.id);
    return later === undefined ? one : { ...one, newer: later };
  });
  return { ...units, data };
}

/** Everything that holds at a time. */
function inForceAt(asOf: Date): RowFilter {
  return {
    ...{ types: UNIT_TYPES, bare: false, asOf, historic: false, knownAt: null, superseded: false, until: null },
    ...{ byRecording: false, sessionId: null, tags: null, tagsAll: false, from: null, to: null, minTrust: null },
    predicate: null,
  };
}
