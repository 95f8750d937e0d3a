import { doAll } from "../../../language/pieces.ts";
import assert from "node:assert/strict";
import { encodeEntries } from "../../../retrieval/mod.ts";
import { Holders } from "./duplicates.ts";

const TERMS = ["a", "b", "c", "d"];

/** The same by definition: texts that hold at least `min` of the terms, by their number, then the newest first. */
function define(docsOf: ReadonlyMap<string, readonly number[]>, terms: readonly string[], min: number, most: number) {
  const counts = new Map<number, number>();
  for (const term of terms) for (const doc of docsOf.get(term) ?? []) counts.set(doc, (counts.get(doc) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= min).sort((a, b) => b[1] - a[1] || b[0] - a[0]).slice(0, most)
    .map(([doc]) => doc);
}

Deno.test("texts that share most of a statement's words are found first, the newest first of these, whatever was asked before", () => {
  const docsOf = new Map(TERMS.map((term, i) => [
    term,
    Array.from({ length: 40 }, (_, n) => 4_000_000_000 + n).filter((doc) => doc * (i + 3) % 7 < 4),
  ]));
  // A term's texts may come in several rows, not in order.
  const postings = TERMS.flatMap((term) => {
    const docs = docsOf.get(term)!;
    const row = (some: readonly number[]) => ({ term, entries: encodeEntries(some.flatMap((doc) => [doc, 0, 0])) });
    return [row(docs.slice(9)), row(docs.slice(0, 9))];
  });
  const holders = doAll(Holders.read(postings));
  for (const terms of [["a"], ["a", "b"], ["b", "a", "c"], TERMS, ["unknown"], ["d", "unknown"], []]) {
    for (const min of [0, 1, 2, 3]) {
      for (const most of [1, 5, 100]) {
        const found = holders.mostShared(terms, min, most);
        assert.deepEqual(found, define(docsOf, terms, min, most), JSON.stringify({ terms, min, most }));
        assert.deepEqual(holders.mostShared(terms, min, most), found);
      }
    }
  }
});
