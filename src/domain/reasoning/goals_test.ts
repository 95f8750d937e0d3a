import assert from "node:assert/strict";
import { contextSimilarity, goalSimilarity, goalTextOf, keyOf, normaliseGoal, wordSimilarity } from "./goals.ts";

function words(a: string, b: string): number {
  return wordSimilarity(goalTextOf(a), goalTextOf(b));
}

Deno.test("case, spaces, width and final marks make no other goal; everything else does", () => {
  assert.equal(normaliseGoal("  Ｓum up\n the  report?! "), "sum up the report");
  const { goalKey } = keyOf("Sum up the report", { a: 1, b: [1, 2] });
  assert.equal(keyOf("sum up the report.", { b: [1, 2], a: 1 }).goalKey, goalKey);
  for (const context of [undefined, null, "", { a: 1, b: [2, 1] }, { a: 1 }]) {
    assert.notEqual(keyOf("Sum up the report", context).goalKey, goalKey);
  }
  assert.equal(keyOf("x", null).goalKey, keyOf("x", undefined).goalKey);
});

Deno.test("order, numbers, denial and a word in the place of another tell goals apart", () => {
  assert.equal(words("Convert EUR to USD", "convert EUR into USD"), 1);
  assert.ok(words("Convert EUR to USD", "Convert USD to EUR") < 0.7);
  assert.equal(words("Pay invoice 17", "Pay invoice 18"), 0);
  assert.equal(words("Send the mail", "Do not send the mail"), 0);
  const goal = "Translate the monthly newsletter for the German customers";
  assert.ok(words(goal, goal.replace("German", "French")) < 0.7);
  assert.ok(words(goal, goal.replace("the monthly", "our")) > 0.85);
  assert.equal(words("", "Water"), 0);
});

Deno.test("a cosine raises similarity by half at most, and never where order or numbers differ", () => {
  const [a, b] = [goalTextOf("Fix the broken login page"), goalTextOf("Repair the failing sign-in screen")];
  assert.equal(goalSimilarity(a, b, 0.9), 0.45);
  assert.equal(goalSimilarity(a, b, -1), 0);
  assert.equal(goalSimilarity(goalTextOf("Pay 3"), goalTextOf("Pay 4"), 1), 0);
  const [to, from] = [goalTextOf("Convert EUR to USD"), goalTextOf("Convert USD to EUR")];
  assert.equal(goalSimilarity(to, from, 1), wordSimilarity(to, from));
});

Deno.test("context objects are equal or not; texts are compared", () => {
  const of = (context: unknown) => ({ ...keyOf("goal", context), context });
  assert.equal(contextSimilarity(of({ env: "a" }), of({ env: "b" })), 0);
  assert.equal(contextSimilarity(of(undefined), of("text")), 0);
  assert.equal(contextSimilarity(of("The build is red."), of("the build  is red")), 1);
});
