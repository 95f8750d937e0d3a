/** The newer statements of results, from memory. */
import type { HotDocument } from "./hot_document.ts";
import type { HotIndex } from "./hot_index.ts";
import type { NewerSource, QueryVector } from "./store.ts";
import { toldAt } from "./newer.ts";

/** @param isEligible whether the filters of the request let a document through */
export function newerOf(
  index: HotIndex,
  isEligible: (document: HotDocument) => boolean,
  query: QueryVector | undefined,
): NewerSource {
  return {
    linksOf: (id) => index.links.of(id),
    turnOf: (sessionId, messageId) => index.turnOf(sessionId, messageId),
    find(id) {
      const document = index.find(id);
      return document !== undefined && isEligible(document)
        ? { docNo: document.docNo, text: document, result: document.result, at: toldAt(document.row) }
        : undefined;
    },
    nearness: (docNo) => query && index.vectors.compare([docNo], query.vector, 1)[0]?.similarity,
  };
}
