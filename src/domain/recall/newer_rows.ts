/** Reads the newer statements of some results from the database. */
import { readNewerLinks } from "../../db/queries/newer_links.ts";
import type { ResultRow } from "../../db/queries/recall.ts";
import type { Tx } from "../../db/tx.ts";
import type { RecallResult } from "../../schema/recall.ts";
import type { BitsCache } from "./bits_cache.ts";
import { citedPlaces, type NewerSource, type Told, toldAt } from "./newer.ts";
import type { RecallRequest } from "./request.ts";
import { sourcesOf } from "./sources.ts";

/** A result with its row. */
export interface ShownRow {
  readonly row: ResultRow;
  readonly result: RecallResult;
}

/**
 * Reads the links of results and the newer statements, as far as the filters of the request let them through.
 * @param toResult makes the result of a row that is not among them
 */
export async function readNewer(
  tx: Tx,
  shown: readonly ShownRow[],
  request: RecallRequest,
  bits: BitsCache,
  toResult: (row: ResultRow) => RecallResult,
): Promise<NewerSource> {
  const cited = shown.flatMap(({ result }) => citedPlaces(result.citations));
  const { links, turns } = shown.length === 0
    ? { links: [], turns: [] }
    : await readNewerLinks(tx, shown.map(({ result }) => result.id), cited);
  const told = new Map(shown.map(({ row, result }): [string, Told] => [result.id, { result, at: toldAt(row) }]));
  const docs = [...new Set(links.flatMap(({ newerId, newerNo }) => told.has(newerId) ? [] : newerNo))];
  const wanted = { docs, groups: [], positions: [] };
  const read = docs.length === 0 ? [] : await Promise.all(
    sourcesOf(request.kinds).map(async (source) => {
      const [passed, rows] = await Promise.all([
        source.readCandidates(tx, wanted, request.rows, bits),
        source.readResults(tx, docs, request.rows),
      ]);
      const eligible = new Set(passed.map(({ docNo }) => docNo));
      return rows.filter(({ docNo }) => eligible.has(docNo));
    }),
  );
  for (const row of read.flat()) told.set(row.id, { result: toResult(row), at: toldAt(row) });
  const ofOlder = Map.groupBy(links, ({ olderId }) => olderId);
  const turnAt = new Map(turns.map(({ id, sessionId, messageId }) => [`${sessionId} ${messageId}`, id]));
  return {
    linksOf: (id) => (ofOlder.get(id) ?? []).map(({ newerId, strength }) => ({ id: newerId, strength })),
    turnOf: (sessionId, messageId) => turnAt.get(`${sessionId} ${messageId}`),
    find: (id) => told.get(id),
  };
}
