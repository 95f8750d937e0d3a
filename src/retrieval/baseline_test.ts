import assert from "node:assert/strict";
import {
  analyseText,
  cutResults,
  estimateRelevance,
  evidenceConfidence,
  MemoryIndex,
  planQuery,
  prescore,
  rank,
  unknownTerms,
  withPrevious,
} from "./mod.ts";
import facts from "./testdata/facts.json" with { type: "json" };
import talk from "./testdata/talk.json" with { type: "json" };

const TURN = 0, FACT = 1;

function factIndex(): MemoryIndex {
  const index = new MemoryIndex();
  facts.facts.forEach((statement, i) => {
    const text = analyseText(statement);
    index.add({ doc: i + 1, kind: FACT, group: 0, position: 0, text, bits: text.bits });
  });
  return index;
}

/** Turn `t` of session `s` has the number 100 · s + t + 1. */
function talkIndex(): MemoryIndex {
  const index = new MemoryIndex();
  talk.sessions.forEach((turns, s) => {
    const seen = new Set<string>();
    let previous: { bits: number; sameSpeaker: boolean } | undefined;
    turns.forEach(([, content], t) => {
      const text = analyseText(content, seen);
      const bits = withPrevious(text.bits, previous);
      index.add({ doc: 100 * s + t + 1, kind: TURN, group: s + 1, position: t, text, bits });
      previous = { bits, sameSpeaker: false };
    });
  });
  return index;
}

function recall(index: MemoryIndex, query: string) {
  const plan = planQuery(query, { referenceMs: Date.UTC(2026, 0, 1) });
  const input = index.input(plan);
  const substitutes = new Map(unknownTerms(plan, input.lists).map((t) => [t, index.vocabulary.near(t)]));
  const keys = [
    ...plan.keys,
    ...[...substitutes.values()].flat().map((e) => e.term),
  ];
  const candidates = prescore(plan, { ...input, lists: index.lists(keys), substitutes });
  const ranked = rank(candidates, index.stored(candidates));
  const relevance = estimateRelevance(candidates, ranked);
  const kept = cutResults(candidates, ranked, relevance, 20).map((place) => ranked[place].doc);
  return { docs: ranked.map((r) => r.doc), kept, confidence: evidenceConfidence(candidates, ranked, relevance) };
}

/** Plain BM25 over the same terms, with its own best parameters for the data at hand. */
function bm25(index: MemoryIndex, query: string, k1: number, b: number): number[] {
  const plan = planQuery(query, { referenceMs: Date.UTC(2026, 0, 1) });
  const [{ docs, tokens }] = index.corpora();
  const scores = new Map<number, number>();
  for (const { term } of plan.terms) {
    for (const { entries } of index.lists([term]).get(term) ?? []) {
      const df = entries.length / 3, idf = Math.log(1 + (docs - df + 0.5) / (df + 0.5));
      for (let i = 0; i < entries.length; i += 3) {
        const tf = entries[i + 2] >>> 8 & 63, length = entries[i + 2] & 255;
        const add = idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length * docs / tokens));
        scores.set(entries[i], (scores.get(entries[i]) ?? 0) + add);
      }
    }
  }
  return [...scores].sort((x, y) => y[1] - x[1] || x[0] - y[0]).map(([doc]) => doc);
}

function ndcg(docs: readonly number[], wanted: ReadonlySet<number>, depth = 10): number {
  let gain = 0, ideal = 0;
  for (let i = 0; i < depth; i++) {
    if (wanted.has(docs[i])) gain += 1 / Math.log2(i + 2);
    if (i < wanted.size) ideal += 1 / Math.log2(i + 2);
  }
  return gain / ideal;
}

function bestBm25(index: MemoryIndex, queries: { query: string; wanted: Set<number> }[]): number {
  let best = 0;
  for (const k1 of [0.6, 0.9, 1.2, 1.6]) {
    for (const b of [0, 0.25, 0.4, 0.75]) {
      best = Math.max(best, mean(queries.map((q) => ndcg(bm25(index, q.query, k1, b), q.wanted))));
    }
  }
  return best;
}

function mean(values: number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length;
}

const FACT_QUERIES = facts.queries.map(([query, wanted]) => ({
  query: query as string,
  wanted: new Set((wanted as number[]).map((i) => i + 1)),
}));
const TALK_QUERIES = talk.queries.map(([query, wanted]) => ({
  query: query as string,
  wanted: new Set((wanted as number[][]).map(([s, t]) => 100 * s + t + 1)),
}));

Deno.test("facts without names and sessions are ranked at least as well as by tuned BM25", () => {
  const index = factIndex();
  const ranker = mean(FACT_QUERIES.map((q) => ndcg(recall(index, q.query).docs, q.wanted)));
  const baseline = bestBm25(index, FACT_QUERIES);
  assert.ok(ranker >= baseline, `ranker ${ranker}, BM25 ${baseline}`);
  assert.ok(ranker >= 0.9, `ranker ${ranker}`);
});

Deno.test("talk between user and assistant is ranked at least as well as by tuned BM25", () => {
  const index = talkIndex();
  const ranker = mean(TALK_QUERIES.map((q) => ndcg(recall(index, q.query).docs, q.wanted)));
  const baseline = bestBm25(index, TALK_QUERIES);
  assert.ok(ranker >= baseline, `ranker ${ranker}, BM25 ${baseline}`);
});

Deno.test("a small fact store returns the few relevant facts, and keeps what was asked for", () => {
  const index = factIndex();
  const results = FACT_QUERIES.map((q) => ({ q, r: recall(index, q.query) }));
  const returned = mean(results.map(({ r }) => r.kept.length));
  const kept = mean(results.map(({ q, r }) => {
    return r.kept.filter((d) => q.wanted.has(d)).length / q.wanted.size;
  }));
  assert.ok(returned <= 4, `${returned} facts returned on average`);
  assert.ok(kept >= 0.95, `${kept} of the wanted facts kept`);
});

Deno.test("a query that has nothing to do with the facts returns next to nothing, with little confidence", () => {
  const index = factIndex();
  for (const query of facts.strangers) {
    const { kept, confidence } = recall(index, query);
    assert.ok(kept.length <= 1, `${query}: ${kept.length} returned`);
    assert.ok(confidence < 0.45, `${query}: confidence ${confidence}`);
  }
  const sure = mean(FACT_QUERIES.map((q) => recall(index, q.query).confidence));
  const unsure = mean(facts.strangers.map((query) => recall(index, query).confidence));
  assert.ok(sure > 0.85 && unsure < 0.15, `${sure} where there is an answer, ${unsure} where there is none`);
});

Deno.test("facts and turns stand in one list: the exact fact comes before turns that only touch the query", () => {
  const index = talkIndex();
  facts.facts.forEach((statement, i) => {
    const text = analyseText(statement);
    index.add({ doc: 10_000 + i, kind: FACT, group: 0, position: 0, text, bits: text.bits });
  });
  assert.equal(recall(index, "how long are database backups kept").docs[0], 10_017);
  assert.equal(recall(index, "name of the user's dog").docs[0], 10_039);
  assert.equal(recall(index, "what stopped the cat from scratching the sofa").docs[0] < 10_000, true);
});
