import assert from "node:assert/strict";
import { doAll } from "../../language/pieces.ts";
import { sortTerms } from "./indexing.ts";

Deno.test("terms are sorted by their units, in pieces", () => {
  const terms = ["", "a", "ab", "b", "\ud83d\ude00", "\uffff", "é", "10", "1", "9"];
  for (let i = 0; i < 5_000; i++) terms.push(`${i * 7_919 % 10_007}`, `word${i}`, String.fromCodePoint(0xac00 + i));
  const all = [...new Set(terms)];
  assert.deepEqual(doAll(sortTerms(all)), all.toSorted());
  const pieces = sortTerms(all);
  let count = 0;
  while (!pieces.next().done) count++;
  assert.ok(count >= all.length / 1_000, `${count} pieces`);
});

Deno.test("terms that begin alike are sorted, too", () => {
  const terms = Array.from({ length: 4_000 }, (_, i) => `${"a".repeat(40)}${(i * 7) % 4_000}`);
  assert.deepEqual(doAll(sortTerms(terms)), terms.toSorted());
  assert.deepEqual(doAll(sortTerms([])), []);
});
