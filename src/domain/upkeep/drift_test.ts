import assert from "node:assert/strict";
import { jensenShannon, type MakeUp, measureDrift, stabilityIndex } from "./drift.ts";
import { addParts, countWords, type Part } from "./composition.ts";

const EMPTY: Part = {
  sensitivity: "internal",
  types: {},
  attributions: {},
  worth: Array(10).fill(0),
  statuses: {},
  liveFacts: 0,
  pinned: 0,
  turns: 0,
  sessions: 0,
  embedded: 0,
  notEmbedded: 0,
  openReviews: 0,
  sampled: 0,
  words: {},
  centroid: null,
};

/** A memory of 200 units about some words that point in a direction. */
function memory(change: Partial<Part> = {}): MakeUp {
  return {
    ...EMPTY,
    types: { fact: 150, episode: 50 },
    attributions: { agent_stated: 120, user_stated: 80 },
    statuses: { active: 180, archived: 20 },
    worth: [0, 0, 10, 40, 100, 50, 0, 0, 0, 0],
    sampled: 200,
    words: { a: 100, b: 50, c: 50 },
    centroid: { texts: 200, sum: [100, 20, 0] },
    ...change,
  };
}

Deno.test("a memory has not drifted from itself, nor from a smaller one of the same shares", () => {
  const half = memory({ types: { fact: 75, episode: 25 }, words: { a: 50, b: 25, c: 25 } });
  for (const other of [memory(), half]) {
    const drift = measureDrift(other, memory());
    assert.deepEqual([drift.verdict, drift.index, drift.newTermRate], ["stable", 0, 0]);
    assert.deepEqual(drift.reasons, ["no measure has moved noticeably"]);
  }
});

Deno.test("a planted shift of each measure is found, and named", () => {
  const shifts: Record<string, Partial<Part>> = {
    type: { types: { fact: 40, episode: 160 } },
    status: { statuses: { active: 60, archived: 140 } },
    attribution: { attributions: { unverified: 150, user_stated: 50 } },
    worth: { worth: [100, 80, 20, 0, 0, 0, 0, 0, 0, 0] },
    vocabulary: { words: { x: 100, y: 50, a: 50 } },
    embedding: { centroid: { texts: 200, sum: [10, 100, 40] } },
  };
  for (const [name, shift] of Object.entries(shifts)) {
    const drift = measureDrift(memory(), memory(shift));
    assert.equal(drift.verdict, "drifted", name);
    assert.deepEqual(drift.measures.filter((one) => one.verdict !== "stable").map((one) => one.name), [name]);
    assert.ok(drift.index! >= 0.25);
    assert.match(drift.reasons[0]!, /: drifted, /);
  }
  assert.match(measureDrift(memory(), memory(shifts["type"])).reasons[0]!, /(fact|episode) went from \d+ % to \d+ %/);
});

Deno.test("a middling shift is shifting", () => {
  const drift = measureDrift(memory(), memory({ types: { fact: 118, episode: 82 } }));
  assert.equal(drift.verdict, "shifting");
});

Deno.test("too little says nothing", () => {
  const small = memory({ types: { fact: 5 }, sampled: 5, centroid: null });
  const drift = measureDrift(small, memory());
  const type = drift.measures.find((one) => one.name === "type")!;
  assert.deepEqual([type.value, type.verdict, drift.verdict], [null, "unknown", "stable"]);
  assert.match(drift.reasons.at(-1)!, /too little to measure: type, vocabulary, embedding/);
  const wordless = measureDrift(memory({ words: {} }), memory());
  assert.deepEqual([wordless.measures[4]!.verdict, wordless.newTermRate], ["unknown", null]);
});

Deno.test("where nothing can be measured nothing is called stable", () => {
  const few = { types: { fact: 5 }, statuses: { active: 5 }, attributions: { agent_stated: 5 }, worth: [5] };
  const drift = measureDrift(memory({ ...few, sampled: 5, centroid: null }), memory());
  assert.deepEqual([drift.verdict, drift.index], ["unknown", null]);
  assert.deepEqual(drift.reasons, [
    "too little to measure: type, status, attribution, worth, vocabulary, embedding",
  ]);
  assert.ok(drift.measures.every((measure) => measure.verdict === "unknown"));
});

Deno.test("the stability index is never negative, symmetric in its ends, and grows with the shift", () => {
  const of = (n: number) => ({ a: 500 + n, b: 500 - n });
  let before = -1;
  for (const n of [0, 50, 100, 200, 400]) {
    const index = stabilityIndex(of(0), of(n))!;
    assert.ok(index >= Math.max(0, before), `${n}`);
    assert.ok(Math.abs(index - stabilityIndex(of(n), of(0))!) < 1e-9);
    before = index;
  }
});

Deno.test("chance alone does not shift a small memory", () => {
  let seed = 7;
  const random = () => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
  const draw = () => {
    const counts: Record<string, number> = {};
    for (let i = 0; i < 60; i++) {
      const name = ["a", "b", "c", "d"][Math.floor(random() ** 2 * 4)]!;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  };
  const drifted = Array.from({ length: 500 }, () => stabilityIndex(draw(), draw())!).filter((index) => index >= 0.25);
  assert.ok(drifted.length <= 25, `${drifted.length} of 500`);
});

Deno.test("the divergence of terms is 0 for the same shares, 1 for nothing in common", () => {
  assert.equal(jensenShannon({ a: 1, b: 3 }, { a: 10, b: 30 }), 0);
  assert.equal(jensenShannon({ a: 1 }, { b: 1 }), 1);
  assert.equal(jensenShannon({}, { b: 1 }), null);
});

Deno.test("parts add up to the whole, and words count by texts", () => {
  const part = { ...memory(), sensitivity: "internal" } as Part;
  const sum = addParts([part, { ...part, sensitivity: "restricted", words: { a: 1, z: 1 } }]);
  assert.deepEqual([sum.types["fact"], sum.worth[4], sum.sampled, sum.words], [300, 200, 400, {
    a: 101,
    b: 50,
    c: 50,
    z: 1,
  }]);
  assert.deepEqual(sum.centroid, { texts: 400, sum: [200, 40, 0] });
  assert.deepEqual(countWords([new Set(["secret", "b"]), new Set(["secret"])]), [["secret", 2], ["b", 1]]);
});
