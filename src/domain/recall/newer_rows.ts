/** Reads the newer statements of some results from the database. */
import { compareVectors } from "../../db/queries/embeddings.ts";
import { readNewerLinks } from "../../db/queries/newer_links.ts";
import type { ResultRow } from "../../db/queries/recall.ts";
import type { Tx } from "../../db/tx.ts";
import { SAME_SCALE } from "../../retrieval/mod.ts";
import type { RecallResult } from "../../schema/recall.ts";
import type { BitsCache } from "./bits_cache.ts";
import { citedPlaces, toldAt } from "./newer.ts";
import type { RecallRequest } from "./request.ts";
import type { NewerSource, QueryVector, ShownText, Told } from "./store.ts";
import { sourcesOf } from "./sources.ts";

/** A row in the form in which results show it. */
type RowText = ShownText & { readonly row: ResultRow };

/** What reading takes besides the transaction. */
export interface NewerMeans {
  readonly bits: BitsCache;
  readonly query: QueryVector | undefined;
  readonly toText: (row: ResultRow) => RowText;
}

/**
 * Reads the links of results and the newer statements, as far as the filters of the request let them through.
 */
export async function readNewer(
  tx: Tx,
  shown: readonly { readonly text: RowText; readonly result: RecallResult }[],
  request: Pick<RecallRequest, "kinds" | "rows">,
  { bits, query, toText }: NewerMeans,
): Promise<NewerSource> {
  const cited = shown.flatMap(({ result }) => citedPlaces(result.citations));
  const { links, turns } = shown.length === 0
    ? { links: [], turns: [] }
    : await readNewerLinks(tx, shown.map(({ result }) => result.id), cited);
  const told = new Map(shown.map(({ text, result }): [string, Told] => [
    result.id,
    { docNo: text.docNo, text, result, at: toldAt(text.row) },
  ]));
  const docs = [...new Set(links.flatMap(({ newerId, newerNo }) => told.has(newerId) ? [] : newerNo))];
  const wanted = { docs, groups: [], positions: [] };
  const compared = [...new Set([...shown.map(({ text }) => text.docNo), ...links.map(({ newerNo }) => newerNo)])];
  const near = query === undefined || links.length === 0
    ? []
    : compareVectors(tx, compared, { ...query, limit: compared.length });
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
  for (const row of read.flat()) {
    const text = toText(row);
    told.set(row.id, { docNo: row.docNo, text, result: text.result, at: toldAt(row) });
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
