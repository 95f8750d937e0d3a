import assert from "node:assert/strict";
import { computeWorth, daysUntilDecayed, freshWorth, WORTH_WEIGHTS, type WorthInput } from "./worth.ts";

const HALF_LIFE_DAYS = 30;
const BASE: WorthInput = {
  trustScore: 60,
  uses: 4,
  helpful: 1,
  harmful: 1,
  corroborations: 1,
  ageDays: 20,
  isContested: false,
  isStale: false,
};
const worth = (change: Partial<WorthInput> = {}) => computeWorth({ ...BASE, ...change }, HALF_LIFE_DAYS).worth;

Deno.test("the weights are one together, and worth lies between 0 and 1 at the ends of every part", () => {
  assert.equal(Math.round(Object.values(WORTH_WEIGHTS).reduce<number>((a, b) => a + b, 0) * 1e9) / 1e9, 1);
  const none = { trustScore: 0, uses: 0, helpful: 0, harmful: 1e9, corroborations: 0, ageDays: 1e9, isContested: true };
  const all = { trustScore: 100, uses: 1e9, helpful: 1e9, harmful: 0, corroborations: 1e9, ageDays: 0 };
  assert.equal(worth(none), 0);
  assert.equal(worth(all), 1);
});

Deno.test("worth never falls with more trust, use, helpful votes and corroboration, nor rises with harm and age", () => {
  const rising = ["trustScore", "uses", "helpful", "corroborations"] as const;
  const falling = ["harmful", "ageDays"] as const;
  for (let seed = 0; seed < 200; seed++) {
    const at = (n: number) => ((seed * 7919 + n * 104_729) % 1_000) / 10;
    const some: WorthInput = {
      trustScore: at(1),
      uses: at(2),
      helpful: at(3),
      harmful: at(4),
      corroborations: at(5),
      ageDays: at(6),
      isContested: seed % 3 === 0,
      isStale: seed % 2 === 0,
    };
    const before = computeWorth(some, HALF_LIFE_DAYS).worth;
    assert.ok(before >= 0 && before <= 1);
    for (const name of rising) {
      const more = { ...some, [name]: name === "trustScore" ? Math.min(100, some[name] + 7) : some[name] + 7 };
      assert.ok(computeWorth(more, HALF_LIFE_DAYS).worth >= before, name);
    }
    for (const name of falling) {
      assert.ok(computeWorth({ ...some, [name]: some[name] + 7 }, HALF_LIFE_DAYS).worth <= before, name);
    }
    assert.ok(computeWorth({ ...some, isContested: true }, HALF_LIFE_DAYS).worth <= before);
  }
});

Deno.test("recency halves with each half-life; a contested unit keeps half of its worth, a stale one three quarters", () => {
  const recency = (ageDays: number) => computeWorth({ ...BASE, ageDays }, HALF_LIFE_DAYS).parts.recency;
  assert.deepEqual([recency(0), recency(30), recency(60)], [1, 0.5, 0.25]);
  assert.equal(worth({ isContested: true }), Math.round(worth() * 5_000) / 1e4);
  assert.ok(Math.abs(worth({ isStale: true }) - worth() * 0.75) < 1e-4);
});

Deno.test("what is just written is worth its trust and its newness, and no more than what was found helpful", () => {
  assert.equal(freshWorth(60, false).worth, 0.455);
  assert.ok(freshWorth(60, false).worth < computeWorth({ ...BASE, uses: 0, ageDays: 0, harmful: 0 }, 30).worth);
});

Deno.test("a worth is computed again after a day at the earliest and a month at the latest", () => {
  for (const ageDays of [0, 1, 10, 100, 1_000]) {
    const { parts } = computeWorth({ ...BASE, ageDays }, HALF_LIFE_DAYS);
    const days = daysUntilDecayed(parts, HALF_LIFE_DAYS);
    assert.ok(days >= 1 && days <= 30, `${days}`);
    assert.ok(Math.abs(worth({ ageDays }) - worth({ ageDays: ageDays + days })) < 0.02);
  }
});
