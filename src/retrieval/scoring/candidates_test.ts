/** Compares the choice of candidates with one that scores every turn and document. */
import assert from "node:assert/strict";
import { packOccurrence } from "../terms/postings.ts";
import { pickSlots } from "./candidates.ts";
import { Kernel, type KernelTerm } from "./kernel.ts";
import { type Sums, sumUp } from "./sums.ts";

/** Mulberry32. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ state >>> 15, state | 1);
    t ^= t + Math.imul(t ^ t >>> 7, t | 61);
    return ((t ^ t >>> 14) >>> 0) % below;
  };
}

/** The quick scores of all slots that may be candidates. */
function scoreAll(kernel: Kernel, sums: Sums): Map<number, number> {
  const perProximity = 1 / Math.max(1e-9, sums.proximityMax), perBm25 = 0.25 / Math.max(1e-9, sums.bm25Max);
  const scores = new Map<number, number>();
  for (let slot = 0; slot < kernel.layout.slots; slot++) {
    const near = kernel.proximity[slot]!, own = kernel.bm25[slot]! * perBm25;
    const g = kernel.layout.slotGroup[slot]!;
    if (slot >= kernel.layout.docBase) {
      if (near * perProximity > 0) scores.set(slot, 1.5 * (near * perProximity) + own);
    } else if (g >= 0 && (near !== 0 || sums.temporal[g])) {
      const base = 0.5 * sums.session[g]! / Math.max(1e-9, sums.sessionMax) + (sums.temporal[g] ? 0.6 : 0);
      scores.set(slot, sums.factor[g]! * (near * perProximity + base + own));
    }
  }
  return scores;
}

Deno.test("the candidates are those with the best quick scores of all, also where whole sessions are passed over", () => {
  const random = createRandom(7);
  const kernel = new Kernel();
  for (let round = 0; round < 300; round++) {
    const sessions = 1 + random(60), limit = 1 + random(40);
    const terms: KernelTerm[] = Array.from({ length: 1 + random(4) }, () => {
      const turns = new Set<number>();
      for (let n = random(200); n > 0; n--) turns.add(random(sessions * 50));
      const words: number[] = [];
      for (const turn of [...turns].sort((a, b) => a - b)) {
        const group = 1 + Math.floor(turn / 50);
        words.push(turn + 1, group, packOccurrence(turn % 50, 1 + random(3), 5 + random(40)));
      }
      for (let n = random(30), doc = 100_000; n > 0; n--) words.push(doc += 1 + random(9), 0, packOccurrence(0, 1, 8));
      const list = { entries: Uint32Array.from(words), averageLength: 15 };
      const weight = 1 + random(600) / 100;
      return { exact: [list], expansions: [], idf: weight, local: weight };
    });
    const temporal = new Map(random(3) === 0 ? [[1 + random(sessions), 20]] : []);
    kernel.load(terms.flatMap(({ exact }) => exact.map(({ entries }) => entries)), terms.length, temporal);
    terms.forEach((term, t) => kernel.scatter(term, t));
    const people = { persons: [], words: new Set<string>(), groups: new Map() };
    const scored = terms.map((term) => ({ kernel: term, entity: false, isHeld: true, source: undefined as never }));
    const sums = sumUp(kernel, scored, people, new Set(temporal.keys()));
    const picked = [...pickSlots(kernel, sums, { corpora: [], lists: new Map(), limit })];
    const scores = scoreAll(kernel, sums);
    const best = [...scores.values()].sort((a, b) => b - a).slice(0, limit);
    assert.equal(new Set(picked).size, picked.length);
    assert.deepEqual(picked.map((slot) => scores.get(slot)), best);
  }
});
