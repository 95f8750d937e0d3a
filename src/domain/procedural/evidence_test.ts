import assert from "node:assert/strict";
import { evidenceOf, judgeCandidate } from "./evidence.ts";

const scored = (runs: number, scoreSum: number, version = 1) => ({ version, runs, scoreSum });

Deno.test("no version is judged before three runs with it, and none for ever", () => {
  assert.equal(judgeCandidate(scored(2, 2), scored(10, 0)).outcome, "waiting");
  assert.equal(judgeCandidate(scored(3, 3), scored(10, 2)).outcome, "promoted");
  assert.equal(judgeCandidate(scored(3, 0), scored(10, 9)).outcome, "rejected");
  assert.equal(judgeCandidate(scored(19, 17), scored(20, 18)).outcome, "waiting");
  assert.equal(judgeCandidate(scored(20, 18), scored(20, 18)).outcome, "rejected");
});

Deno.test("against a version that nobody ran, a candidate must be better than even", () => {
  assert.equal(judgeCandidate(scored(3, 1.5), scored(0, 0)).outcome, "waiting");
  assert.equal(judgeCandidate(scored(3, 3), scored(0, 0)).outcome, "promoted");
});

Deno.test("bounds stay within 0 and 1, also where sums were rounded", () => {
  for (const [runs, sum] of [[0, 0], [1_000, 1_000.0001], [1_000, 0]] as const) {
    const { mean, lowerBound, upperBound } = evidenceOf(scored(runs, sum));
    assert.ok(0 <= lowerBound && lowerBound <= mean && mean <= upperBound && upperBound <= 1);
  }
});
