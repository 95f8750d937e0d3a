import assert from "node:assert/strict";
import { gistOf, lexicalSimilarity, nearDuplicateScore } from "./similarity.ts";

function score(a: string, b: string, cosine?: number): number {
  return nearDuplicateScore(gistOf(a), gistOf(b), cosine);
}

Deno.test("other word forms, case and small words make a near-duplicate", () => {
  assert.ok(score("Caroline prefers green tea", "caroline preferred the green teas.") > 0.85);
  assert.ok(score("The meeting is in room 4", "Meetings are in Room 4") > 0.85);
});

Deno.test("another number, a denial or another name make another statement", () => {
  assert.equal(score("The meeting is in room 4", "The meeting is in room 5"), 0);
  assert.equal(score("Caroline likes green tea", "Caroline doesn't like green tea"), 0);
  assert.equal(score("Caroline likes green tea", "Caroline never likes green tea"), 0);
  assert.equal(score("Caroline moved to Rome", "Caroline moved to Paris"), 0);
});

Deno.test("embeddings count only with enough common words", () => {
  const a = "Caroline bought a small red car yesterday";
  const b = "Caroline bought a small red automobile yesterday";
  assert.ok(lexicalSimilarity(gistOf(a), gistOf(b)) < 0.85);
  assert.equal(score(a, b), 0);
  assert.equal(score(a, b, 0.95), 0.95);
  assert.equal(score(a, b, 0.8), 0);
  assert.equal(score("red car", "blue sky", 0.99), 0);
});

Deno.test("statements without any word to compare are no duplicates of each other", () => {
  assert.equal(score("it is so", "this was that"), 0);
  assert.equal(score("?!", "..."), 0);
});
