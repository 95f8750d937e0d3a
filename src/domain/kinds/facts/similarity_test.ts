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

Deno.test("what is denied of two things at once is denied", () => {
  assert.equal(score("Caroline eats meat and fish", "Caroline eats neither meat nor fish"), 0);
  assert.equal(score("Caroline eats meat and fish", "Caroline does not eat meat nor fish"), 0);
  assert.ok(score("Caroline eats neither meat nor fish", "Caroline eats neither fish nor meat") > 0.85);
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

Deno.test("what contradicts a statement is no duplicate of it, whatever the embeddings say", () => {
  const pairs = [
    ["The weekly meeting of the platform team is on Monday", "The weekly meeting of the platform team is on Thursday"],
    [
      "The weekly meeting of the team is on monday in the big hall",
      "The weekly meeting of the team is on friday in the big hall",
    ],
    ["Caroline prefers tea over coffee in the office", "Caroline prefers coffee over tea in the office"],
    ["Anna manages Bob in the Lisbon office", "Bob manages Anna in the Lisbon office"],
    ["The feature flag for the new checkout page is enabled", "The feature flag for the new checkout page is disabled"],
    [
      "Nina has two cats and a large garden behind the house",
      "Nina has three cats and a large garden behind the house",
    ],
    ["The user prefers short answers in the weekly summary", "The user prefers detailed answers in the weekly summary"],
    [
      "The customer data of the Acme project is stored in Frankfurt",
      "The customer data of the Acme project is stored in Dublin",
    ],
    ["Interns may access the database of the shop", "Interns may no longer access the database of the shop"],
  ] as const;
  for (const [a, b] of pairs) {
    assert.equal(score(a, b, 0.99), 0, b);
    assert.equal(score(b, a, 0.99), 0, a);
  }
});

Deno.test("a statement in which one word stands for another is a duplicate only if the embeddings say so", () => {
  const a = "The caretaker of the old house on the hill paints the garden fence every spring with great care";
  const b = "The janitor of the old house on the hill paints the garden fence every spring with great care";
  assert.equal(score(a, b), 0);
  assert.equal(score(a, b, 0.95), 0.95);
});
