import assert from "node:assert/strict";
import { findByWords } from "../../../scripts/train/corpus.ts";
import { buildStore, isHeld, readCaseStores, readChatter, wrapQuery } from "../../../scripts/train/precision_data.ts";
import {
  analyseText,
  cutResults,
  estimateRelevance,
  EVIDENCE_INPUT_NAMES,
  evidenceConfidence,
  MemoryIndex,
  planQuery,
  prescore,
  rank,
  RELEVANCE,
  RELEVANCE_INPUT_NAMES,
  type RelevanceModel,
  withPrevious,
} from "../mod.ts";
import { QUERY_LOOKUPS_MAX, QUERY_TERMS_MAX } from "../query/terms.ts";

const WHEN = { referenceMs: Date.UTC(2026, 0, 1) };
const plan = (query: string) => planQuery(query, WHEN);

function ask(index: MemoryIndex, query: string) {
  const candidates = findByWords(index, query, WHEN);
  const ranked = rank(candidates, index.stored(candidates));
  const relevance = estimateRelevance(candidates, ranked);
  const kept = cutResults(candidates, ranked, relevance, 20).map((place) => ranked[place].doc);
  return { kept, ranked, relevance, confidence: evidenceConfidence(candidates, ranked, relevance) };
}

/** A list of results of one kind with given probabilities. */
function listOf(kind: "turn" | "document", count: number) {
  const candidates = { groups: new Uint32Array(count).fill(kind === "turn" ? 1 : 0) };
  return { candidates, ranked: Array.from({ length: count }, (_, row) => ({ row })) };
}

const CUT = { least: 0.2, knee: 0.5, spared: 2 };
const KIND = { relevance: { bias: 0, weights: {} }, confidence: { matter: { bias: 0, weights: {} } } };
const MODEL: RelevanceModel = { turn: { ...KIND, cut: CUT }, document: { ...KIND, cut: { ...CUT, spared: 0 } } };

Deno.test("results likelier relevant than not or near the best are returned, and the best where it is likely enough", () => {
  const { candidates, ranked } = listOf("document", 4);
  const cut = (relevance: number[]) => cutResults(candidates, ranked, relevance, 20, { model: MODEL });
  assert.deepEqual(cut([0.95, 0.51, 0.46, 0.4]), [0, 1], "an even chance is enough beside a sure one");
  assert.deepEqual(cut([0.4, 0.25, 0.1, 0.21]), [0, 1, 3], "near the best");
  assert.deepEqual(cut([0.21, 0.05, 0.05, 0.05]), [0]);
  assert.deepEqual(cut([0.19, 0.18, 0.1, 0]), []);
  assert.deepEqual(cutResults(candidates, ranked, [0.9, 0.8, 0.7, 0.6], 2, { model: MODEL }), [0, 1], "the limit");
});

Deno.test("the first turns of sessions are spared by the cut, unless even the best is unlikely", () => {
  const { candidates, ranked } = listOf("turn", 4);
  assert.deepEqual(cutResults(candidates, ranked, [0.9, 0.01, 0.01, 0.6], 20, { model: MODEL }), [0, 1, 3]);
  assert.deepEqual(cutResults(candidates, ranked, [0.1, 0.01, 0.01, 0], 20, { model: MODEL }), []);
});

Deno.test("documents that the order puts above the first turn that is returned are returned with it", () => {
  const candidates = { groups: Uint32Array.of(0, 1, 0, 0) };
  const ranked = [0, 1, 2, 3].map((row) => ({ row }));
  const cut = (relevance: number[], minScore?: number) =>
    cutResults(candidates, ranked, relevance, 20, { model: MODEL, minScore });
  assert.deepEqual(cut([0.1, 0.3, 0.05, 0.05]), [0, 1]);
  assert.deepEqual(cut([0.1, 0.1, 0.05, 0.05]), [], "no turn is returned");
  assert.deepEqual(cut([0.1, 0.3, 0.05, 0.05], 0.2), [1]);
});

Deno.test("a bare word or name finds all facts that hold it, if few or all facts of the store do", () => {
  const about = ["The tractor is rusty.", "The tractor was lent to Sunniva.", "A tractor needs a wide gate."];
  const others = [
    "Milk is collected at six.",
    "Sunniva breeds sheep.",
    "The well is covered in frost.",
    "Hay is dear.",
  ];
  for (const facts of [about.slice(0, 1), about.slice(0, 2), about, [...about, ...others]]) {
    const { index } = buildStore({
      id: "farm",
      about: "A farm",
      facts: Object.fromEntries(facts.entries()),
      cases: [],
    });
    const found = (query: string) => ask(index, query).kept.toSorted();
    const wanted = about.slice(0, facts.length).map((_, i) => i + 1);
    for (const query of ["tractor", "The tractor", "tractor?"]) assert.deepEqual(found(query), wanted, query);
    const named = facts.flatMap((fact, i) => fact.includes("Sunniva") ? [i + 1] : []);
    for (const query of ["Sunniva", "Who is Sunniva?"]) assert.deepEqual(found(query), named, query);
    for (const query of ["harvester", "Who is Birger?"]) assert.deepEqual(found(query), [], query);
  }
});

Deno.test("minScore replaces the cut: 0 returns everything", () => {
  const { candidates, ranked } = listOf("document", 4);
  const relevance = [0.19, 0.18, 0.1, 0];
  assert.deepEqual(cutResults(candidates, ranked, relevance, 20, { minScore: 0, model: MODEL }), [0, 1, 2, 3]);
  assert.deepEqual(cutResults(candidates, ranked, relevance, 20, { minScore: 0.15, model: MODEL }), [0, 1]);
});

Deno.test("a wanted fact scores alike for a short question and inside a long message, and far above the others", () => {
  const held = readCaseStores().filter((store) => isHeld(store) && store.facts !== undefined);
  const chatter = readChatter();
  let short = 0, long = 0, others = 0, count = 0;
  for (const store of held) {
    const { index, docOf } = buildStore(store);
    for (const { query, wanted } of store.cases.slice(0, 3).filter(({ wanted }) => wanted.length === 1)) {
      const of = (text: string) => {
        const { ranked, relevance } = ask(index, text);
        const place = ranked.findIndex(({ doc }) => doc === docOf.get(wanted[0]));
        const rest = Array.from(relevance).filter((_, i) => i !== place);
        return {
          own: place < 0 ? 0 : relevance[place],
          rest: rest.reduce((a, b) => a + b, 0) / Math.max(1, rest.length),
        };
      };
      const inside = of(wrapQuery(query, chatter[count % chatter.length]));
      short += of(query).own;
      long += inside.own;
      others += inside.rest;
      count++;
    }
  }
  assert.ok(short / count > 0.5, `${short / count} for short questions`);
  assert.ok(long > short / 2, `${long / count} in long messages, ${short / count} for short questions`);
  assert.ok(long > 4 * others, `${long / count} in long messages, others ${others / count}`);
});

Deno.test("a question about what another person did has less confidence than one about who did it", () => {
  const index = new MemoryIndex();
  const talk = [
    ["Lena", "I finally signed up for the pottery course at the community centre."],
    ["Rui", "Nice! Is it in the evening?"],
    ["Lena", "Yes, on Thursdays. I want to make bowls for my mum."],
    ["Rui", "I bought the yellow kayak from my neighbour for 300 euros."],
    ["Lena", "Have you been on the water with it?"],
    ["Rui", "I took it to the reservoir and tipped over twice."],
  ];
  let previous: { bits: number; sameSpeaker: boolean } | undefined;
  for (const [position, [speaker, content]] of talk.entries()) {
    const text = analyseText(content);
    const bits = withPrevious(text.bits, previous);
    index.add({ doc: position + 1, kind: 0, group: 1, position, text, bits, speaker });
    previous = { bits, sameSpeaker: false };
  }
  for (
    const [right, wrong] of [
      ["Which course did Lena sign up for?", "Which course did Rui sign up for?"],
      ["What colour is the kayak that Rui bought?", "What colour is the kayak that Lena bought?"],
    ]
  ) {
    const [sure, unsure] = [ask(index, right).confidence, ask(index, wrong).confidence];
    assert.ok(unsure < 0.7 * sure, `${right} ${sure}, ${wrong} ${unsure}`);
  }
});

Deno.test("of a long message the words that some document holds are scored, whatever else it says", () => {
  const index = new MemoryIndex();
  const text = analyseText("The backup of the walnut server runs at night");
  index.add({ doc: 1, kind: 1, group: 0, position: 0, text, bits: text.bits });
  const words = Array.from({ length: 100 }, (_, i) => `filler${String.fromCharCode(97 + i % 26)}${i}x`);
  const candidates = findByWords(index, `${words.join(" ")}. When does the walnut backup run?`, WHEN);
  assert.ok(candidates.scored.length <= QUERY_TERMS_MAX);
  for (const term of ["walnut", "backup", "run"]) assert.ok(candidates.scored.includes(term), term);
  assert.equal(candidates.size, 1);
});

Deno.test("a message with more words than are looked up keeps its beginning and its end", () => {
  const words = Array.from({ length: 3 * QUERY_LOOKUPS_MAX }, (_, i) => `w${i}q`);
  const terms = plan(words.join(" ")).terms.map(({ word }) => word);
  assert.equal(terms.length, QUERY_LOOKUPS_MAX);
  assert.deepEqual([terms[0], terms.at(-1)], [words[0], words.at(-1)]);
});

Deno.test("a query's words know the sentences in which they stand", () => {
  const { terms } = plan("The kiln exploded. Who repaired the kiln? Ask the potter!");
  const sentences = Object.fromEntries(terms.map(({ word, sentences }) => [word, sentences]));
  assert.deepEqual(sentences, { kiln: [0, 1], exploded: [0], repaired: [1], ask: [2], potter: [2] });
});

Deno.test("the weight of a sentence counts its words that no document holds", () => {
  const index = new MemoryIndex();
  const text = analyseText("The kiln is in the cellar");
  index.add({ doc: 1, kind: 1, group: 0, position: 0, text, bits: text.bits });
  const query = plan("The kiln. The kiln of the unknown potter.");
  const { sentences } = prescore(query, index.input(query)).query;
  assert.equal(sentences.length, 2);
  assert.ok(sentences[1].weight > 2 * sentences[0].weight);
});

Deno.test("every weight of relevance belongs to an input", () => {
  for (const model of Object.values(RELEVANCE)) {
    for (const { relevance, confidence } of [model.turn, model.document]) {
      for (const name of Object.keys(relevance.weights)) {
        assert.ok((RELEVANCE_INPUT_NAMES as string[]).includes(name), name);
      }
      for (const { weights } of Object.values(confidence)) {
        for (const name of Object.keys(weights)) assert.ok((EVIDENCE_INPUT_NAMES as string[]).includes(name), name);
      }
    }
  }
});
