import assert from "node:assert/strict";
import {
  analyseText,
  COLUMN,
  FEATURE_COUNT,
  furtherRelated,
  MemoryIndex,
  openLexicon,
  planQuery,
  prescore,
  rank,
} from "./mod.ts";
import { QUERY_RELATED_MAX, QUERY_RELATING_MAX, TERM_RELATED_MAX } from "./query.ts";
import { WordVectors } from "./word_vectors.ts";
import { stemWord } from "../language/words.ts";

const REFERENCE = Date.UTC(2026, 0, 1);
const LEXICON = openLexicon("vectors");

function indexOf(texts: readonly string[]): MemoryIndex {
  const index = new MemoryIndex();
  texts.forEach((content, i) => {
    const text = analyseText(content);
    index.add({ doc: i + 1, kind: 0, group: 1, position: 10 * i, text, bits: text.bits });
  });
  return index;
}

function recall(index: MemoryIndex, query: string, lexicon: "vectors" | "none"): number[] {
  const plan = planQuery(query, { referenceMs: REFERENCE, lexicon: openLexicon(lexicon) });
  const candidates = prescore(plan, index.input(plan));
  return rank(candidates, index.stored(candidates)).map((r) => r.doc);
}

Deno.test("the lexicon relates words that mean something alike, best first, with weights up to 1", () => {
  const terms = (word: string) => openLexicon("vectors")!.related(stemWord(word, "search")).map((r) => r.term);
  assert.ok(terms("movie").includes(stemWord("film", "search")));
  assert.ok(terms("food").includes(stemWord("pizza", "search")));
  assert.ok(terms("instrument").includes(stemWord("guitar", "search")));
  assert.deepEqual(terms("zzyzx"), []);
  for (const word of ["movie", "food", "pet", "country"]) {
    const weights = openLexicon("vectors")!.related(stemWord(word, "search")).map((r) => r.weight);
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
  assert.deepEqual(recall(index, "what food did they have", "vectors"), [3, 1]);
  assert.deepEqual(recall(index, "what food did they have", "none"), [3]);
});

Deno.test("a query has a bounded number of related terms, none for likely names, and none is asked for twice", () => {
  const query = "What food, instrument, movie, country, sport, animal, music, book and art does Turkey enjoy?";
  const plan = planQuery(query, { referenceMs: REFERENCE, lexicon: LEXICON });
  assert.equal(plan.lexicon, "vectors");
  assert.ok(plan.relatedKeys.length > 10 && plan.relatedKeys.length <= QUERY_RELATED_MAX);
  assert.deepEqual(plan.relatedKeys.filter((key) => plan.keys.includes(key)), []);
  assert.deepEqual(plan.terms.find((t) => t.word === "turkey")!.related, []);
  const plain = planQuery(query, { referenceMs: REFERENCE });
  assert.deepEqual([plain.lexicon, plain.relatedKeys.length], ["none", 0]);
  assert.deepEqual(plain.keys, plan.keys);
});

Deno.test("of a long message only its rarest words have related terms", () => {
  const words = "city music school money water garden winter doctor cello banana kettle piano pillow lantern quarry";
  const { terms, relatedKeys } = planQuery(words, { referenceMs: REFERENCE, lexicon: LEXICON });
  const rarest = terms.map((t) => t.term).sort((a, b) => LEXICON!.rankOf(b)! - LEXICON!.rankOf(a)!);
  assert.deepEqual(
    terms.filter((t) => t.related.length > 0).map((t) => t.term).sort(),
    rarest.slice(0, QUERY_RELATING_MAX).sort(),
  );
  assert.ok(relatedKeys.length > QUERY_RELATED_MAX / 2 && relatedKeys.length <= QUERY_RELATED_MAX);
});

Deno.test("more related terms are looked up where the corpus holds few of the best ones, and only there", () => {
  const plan = planQuery("what food did they have", { referenceMs: REFERENCE, lexicon: LEXICON });
  const all = plan.terms[0].related.map((r) => r.term), best = all.slice(0, TERM_RELATED_MAX);
  assert.deepEqual(plan.relatedKeys.toSorted(), best.toSorted());
  const listed = (terms: readonly string[]) =>
    new Map(terms.map((t) => [t, [{ kind: 0, entries: new Uint32Array(3) }]]));
  assert.deepEqual(furtherRelated(plan, listed([])).toSorted(), all.slice(TERM_RELATED_MAX).toSorted());
  assert.deepEqual(furtherRelated(plan, listed(best)), []);
});

Deno.test("a term is stood for by its best related terms, sixteen at most, of those that the corpus holds", () => {
  const [{ related }] = planQuery("food", { referenceMs: REFERENCE, lexicon: LEXICON }).terms;
  const held = related.filter((_, i) => i % 2 === 1).slice(0, 20).map((r) => r.term);
  const index = new MemoryIndex();
  held.forEach((term, i) => {
    const text = { ...analyseText("nothing"), terms: [term], tfs: [1], length: 1 };
    index.add({ doc: i + 1, kind: 0, group: 1, position: 10 * i, text, bits: text.bits });
  });
  assert.deepEqual(
    recall(index, "food", "vectors").filter((doc) => doc > 0).toSorted((a, b) => a - b),
    [
      ...Array(16).keys(),
    ].map((i) => i + 1),
  );
});

Deno.test("a related word in the turn itself counts apart, and not where the word itself stands", () => {
  const index = indexOf(["We watched a film there", "We watched a movie there", "We watched a movie, a film"]);
  const plan = planQuery("movie", { referenceMs: REFERENCE, lexicon: LEXICON });
  const candidates = prescore(plan, index.input(plan));
  const own = new Map(
    rank(candidates, index.stored(candidates)).map(({ doc, row }) => [
      doc,
      candidates.features[row * FEATURE_COUNT + COLUMN.relatedInTurn],
    ]),
  );
  assert.ok(own.get(1)! > 0 && own.get(2) === 0 && own.get(3) === 0, JSON.stringify([...own]));
});

Deno.test("the nearest words of a word come by falling cosine, above the least, and never the word itself", () => {
  const vectors = new WordVectors();
  const nearest = (term: string, limit: number, least: number) => {
    const { ids, cosines } = vectors.nearest(term, limit, least);
    return Array.from(ids, (id, i) => ({ term: vectors.termOf(id), cosine: cosines[i] }));
  };
  const near = nearest("guitar", 10, 0.3);
  assert.equal(near.length, 10);
  assert.ok(near.every(({ term, cosine }) => term !== "guitar" && cosine > 0.3 && cosine < 1));
  assert.deepEqual(near, near.toSorted((a, b) => b.cosine - a.cosine));
  assert.deepEqual(nearest("guitar", 20_000, 0.3).slice(0, 10), near);
  assert.deepEqual(nearest("zzyzx", 10, 0.3), []);
  assert.ok(vectors.idOf("time")! < vectors.idOf("guitar")!);
  assert.deepEqual(vectors.listTerms().map((term) => vectors.idOf(term)), [...vectors.listTerms().keys()]);
  assert.equal(vectors.idOf("zzyzx"), undefined);
});
