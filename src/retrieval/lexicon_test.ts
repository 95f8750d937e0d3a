import assert from "node:assert/strict";
import { analyseText, MemoryIndex, openLexicon, planQuery, prescore, rank } from "./mod.ts";
import { QUERY_RELATED_MAX } from "./query.ts";
import { stemWord } from "../language/words.ts";

const REFERENCE = Date.UTC(2026, 0, 1);

function indexOf(texts: readonly string[]): MemoryIndex {
  const index = new MemoryIndex();
  texts.forEach((content, i) => {
    const text = analyseText(content);
    index.add({ doc: i + 1, kind: 0, group: 1, position: 10 * i, text, bits: text.bits });
  });
  return index;
}

function recall(index: MemoryIndex, query: string, lexicon: "wordnet" | "none"): number[] {
  const plan = planQuery(query, { referenceMs: REFERENCE, lexicon: openLexicon(lexicon) });
  const candidates = prescore(plan, index.input(plan));
  return rank(candidates, index.stored(candidates)).map((r) => r.doc);
}

Deno.test("the lexicon relates kinds, synonyms and words of definitions, best first, with weights up to 1", () => {
  const terms = (word: string) => openLexicon("wordnet")!.related(stemWord(word, "search")).map((r) => r.term);
  assert.ok(terms("movie").includes(stemWord("film", "search")));
  assert.ok(terms("food").includes(stemWord("pizza", "search")));
  assert.ok(terms("instrument").includes(stemWord("guitar", "search")));
  assert.deepEqual(terms("zzyzx"), []);
  for (const word of ["movie", "food", "pet", "country"]) {
    const weights = openLexicon("wordnet")!.related(stemWord(word, "search")).map((r) => r.weight);
    assert.ok(weights.length > 0 && weights.every((w) => w > 0 && w < 1), word);
    assert.deepEqual(weights, weights.toSorted((a, b) => b - a), word);
    assert.ok(!terms(word).includes(stemWord(word, "search")), word);
  }
  assert.equal(openLexicon("none"), undefined);
});

Deno.test("a turn that holds only a related word is found with the lexicon, after those with the word itself", () => {
  const index = indexOf([
    "We ate a pizza by the river.",
    "The train was late again.",
    "Her favourite food is at the market.",
    "It rained for days.",
  ]);
  assert.deepEqual(recall(index, "what food did they have", "wordnet"), [3, 1]);
  assert.deepEqual(recall(index, "what food did they have", "none"), [3]);
});

Deno.test("a query has a bounded number of related terms, none for likely names, and none is asked for twice", () => {
  const query = "What food, instrument, movie, country, sport, animal, music, book and art does Turkey enjoy?";
  const plan = planQuery(query, { referenceMs: REFERENCE, lexicon: openLexicon("wordnet") });
  assert.equal(plan.lexicon, "wordnet");
  assert.ok(plan.relatedKeys.length > 10 && plan.relatedKeys.length <= QUERY_RELATED_MAX);
  assert.deepEqual(plan.relatedKeys.filter((key) => plan.keys.includes(key)), []);
  assert.deepEqual(plan.terms.find((t) => t.word === "turkey")!.related, []);
  const plain = planQuery(query, { referenceMs: REFERENCE });
  assert.deepEqual([plain.lexicon, plain.relatedKeys.length], ["none", 0]);
  assert.deepEqual(plain.keys, plan.keys);
});
