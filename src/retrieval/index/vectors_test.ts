import fc from "fast-check";
import assert from "node:assert/strict";
import { comparedFor, HeldVectors, roundedCosine } from "./vectors.ts";

/** Whole numbers as the built-in embeddings make them, from a seed. */
function vectorOf(seed: number): Float32Array {
  let state = seed * 2_654_435_761 + 1;
  return Float32Array.from({ length: 256 }, () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9 | 0;
    return (state >> 24) % 60;
  });
}

function cosine(a: Float32Array, b: Float32Array): number {
  const sum = (x: Float32Array, y: Float32Array) => x.reduce((total, value, i) => total + value * y[i], 0);
  return roundedCosine(sum(a, b), sum(a, a), sum(b, b));
}

Deno.test("the nearest of a few vectors are those with the greatest cosine, of equal ones the older text", () => {
  const held = new HeldVectors();
  const texts = Array.from({ length: 150 }, (_, i) => ({ docNo: i + 1, vector: vectorOf(i % 140) }));
  for (const { docNo, vector } of texts) held.set(docNo, docNo % 3, vector, false);
  const query = vectorOf(7);
  const expected = texts.map(({ docNo, vector }) => ({ docNo, similarity: cosine(vector, query) }))
    .sort((a, b) => b.similarity - a.similarity || a.docNo - b.docNo);
  assert.deepEqual(held.findNearest(query, 10), expected.slice(0, 10));
  assert.deepEqual(expected.slice(0, 2).map(({ docNo }) => docNo), [8, 148]);
  const ofKind = expected.filter(({ docNo }) => docNo % 3 === 2);
  assert.deepEqual(held.findNearest(query, 10, new Set([2])), ofKind.slice(0, 10));
  assert.deepEqual(held.compare([3, 8, 9_999], query, 10), expected.filter(({ docNo }) => docNo === 3 || docNo === 8));
});

Deno.test("of thousands of vectors, those with the nearest signs are compared", () => {
  const held = new HeldVectors();
  const all = new Map<number, Float32Array>();
  for (let docNo = 1; docNo <= 3_000; docNo++) {
    const vector = vectorOf(docNo);
    all.set(docNo, vector);
    held.set(docNo, 0, vector, false);
  }
  const query = vectorOf(99_991);
  const differing = (vector: Float32Array) =>
    vector.reduce((sum, value, i) => sum + Number(value > 0 !== query[i] > 0), 0);
  const compared = [...all].sort(([a, one], [b, other]) => differing(one) - differing(other) || a - b)
    .slice(0, comparedFor(20));
  const expected = compared.map(([docNo, vector]) => ({ docNo, similarity: cosine(vector, query) }))
    .sort((a, b) => b.similarity - a.similarity || a.docNo - b.docNo).slice(0, 20);
  assert.deepEqual(held.findNearest(query, 20), expected);
});

Deno.test("ten million comparisons that are asked for at once are a hundred short searches, between which others have their turn", async () => {
  const held = new HeldVectors();
  const some = Array.from({ length: 1_000 }, (_, i) => vectorOf(i));
  for (let docNo = 1; docNo <= 100_000; docNo++) held.set(docNo, 0, some[docNo % some.length]!, false);
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  const durations = await Promise.all(Array.from({ length: 100 }, async (_, i) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    const started = performance.now();
    assert.equal(held.findNearest(vectorOf(100_001 + i), 60).length, 60);
    return performance.now() - started;
  }));
  await new Promise((resolve) => setTimeout(resolve, 1));
  clearInterval(timer);
  // The median, because on a busy machine other programs interrupt some of them.
  assert.ok(durations.toSorted((a, b) => a - b)[49]! < 20, `${durations}`);
  assert.ok(turns > 0);
});

Deno.test("after any changes, the index holds the latest vector of each text and no other", () => {
  const change = fc.record({
    docNo: fc.integer({ min: 1, max: 1_200 }),
    seed: fc.option(fc.integer({ min: 0, max: 99 })),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const held = new HeldVectors(), model = new Map<number, number>();
      for (let docNo = 1; docNo <= 1_030; docNo++) {
        held.set(docNo, 0, vectorOf(docNo % 50), false);
        model.set(docNo, docNo % 50);
      }
      for (const { docNo, seed } of changes) {
        if (seed === null) {
          held.delete(docNo);
          model.delete(docNo);
        } else {
          held.set(docNo, 0, vectorOf(seed), false);
          model.set(docNo, seed);
        }
      }
      const query = vectorOf(3);
      const expected = [...model].filter(([, seed]) => seed === 3).map(([docNo]) => docNo).sort((a, b) => a - b);
      const found = held.findNearest(query, 50).filter(({ similarity }) => similarity === 1).map(({ docNo }) => docNo);
      assert.equal(held.size, model.size);
      assert.deepEqual(found, expected.slice(0, 50));
    }),
    { numRuns: 20 },
  );
});

Deno.test("a text is expected until its vector is final or it is gone", () => {
  const held = new HeldVectors();
  held.expect(1);
  held.expect(2);
  held.set(1, 0, vectorOf(1), true);
  assert.deepEqual([...held.expected].sort(), [1, 2]);
  held.set(1, 0, vectorOf(2), false);
  held.expect(1);
  held.delete(2);
  assert.deepEqual([...held.expected], []);
});
