/** The two forms of words. Stored postings and vectors depend on what is tested here. */
import assert from "node:assert/strict";
import { isStopWord, listContentStems, listWords, splitWords, stemWord } from "./tokenise.ts";

const FORMS = [
  ["Caroline's don't stop", ["caroline", "dont", "stop"], ["caroline's", "don't", "stop"]],
  ["O’Brien paid 1,200.50 for v1.2.3", ["obrien", "paid", "1200.50", "for", "v1.2.3"], [
    "o'brien",
    "paid",
    "1",
    "200",
    "50",
    "for",
    "v1",
    "2",
    "3",
  ]],
  ["東京都 ＡＢＣ ﬁn", ["東京", "京都", "abc", "fin"], ["東京都", "abc", "fin"]],
] as const;

Deno.test("a text gives the same words in each form as when postings and vectors were stored", () => {
  for (const [text, search, prose] of FORMS) {
    assert.deepEqual(listWords(text, "search"), search);
    assert.deepEqual(listWords(text, "prose"), prose);
  }
  assert.deepEqual(splitWords("An ox").map(({ raw, index }) => [raw, index]), [["An", 0], ["ox", 3]]);
});

Deno.test("each form of words has its own stop words, and contractions are written as the form writes them", () => {
  assert.deepEqual(listContentStems("We don't own either of the running dogs", "search"), ["own", "run", "dog"]);
  assert.deepEqual(listContentStems("We don't own either of the running dogs", "prose"), ["either", "run", "dog"]);
  assert.ok(isStopWord("dont", "search") && !isStopWord("dont", "prose") && isStopWord("don't", "prose"));
});

Deno.test("a stem has no possessive in prose, and a very long word is cut for search and left whole in prose", () => {
  assert.equal(stemWord("dog's", "prose"), "dog");
  const long = "abcdefgh".repeat(8);
  assert.equal(stemWord(long, "search").length, 48);
  assert.equal(stemWord(long, "prose"), long);
});
