/** Numbers of things and lengths of time, and what a newer one means for an older one. */
import assert from "node:assert/strict";
import { isOtherSpan, readCount, readSpan, relateSteps } from "./counts.ts";
import { readClaims } from "./read.ts";

Deno.test("a count is the number that a phrase begins with, however it is written", () => {
  const numbers: Readonly<Record<string, number>> = {
    "three books": 3,
    "about 1,000 books": 1_000,
    "1.000 books": 1_000,
    "1.5 litres of water": 1.5,
    "two hundred books": 200,
    "two hundred and five books": 205,
    "two hundred five books": 205,
    "three thousand two hundred books": 3_200,
    "a hundred books": 100,
    "5 million views": 5_000_000,
    "two dozen eggs": 24,
    "one and a half cakes": 1.5,
    "twice at the gym": 2,
    "4 out of 12 modules": 4,
    "$20": 20,
  };
  for (const [phrase, number] of Object.entries(numbers)) assert.equal(readCount(phrase)?.number, number, phrase);
});

Deno.test("a count names what it counts, in how many, and whether it is an ordinal", () => {
  assert.deepEqual(readCount("two hundred new books so far"), {
    number: 200,
    things: ["book"],
    isOrdinal: false,
    total: null,
  });
  assert.equal(readCount("4 out of 12 modules")?.total, "12");
  assert.equal(readCount("my third lesson")?.isOrdinal, true);
  assert.equal(readCount("42nd session")?.number, 42);
});

Deno.test("what begins with no number, or counts time, is no count", () => {
  for (const phrase of ["books", "three weeks", "two hundred days", "the car", "", "level 3"]) {
    assert.equal(readCount(phrase), null, phrase);
  }
  assert.equal(readCount("level 3", true)?.number, 3);
  assert.equal(readCount("week 3 of the course", true)?.number, 3);
});

Deno.test("a length of time is read in days", () => {
  const spans: Readonly<Record<string, number | null>> = {
    "three weeks": 21,
    "a week": 7,
    "one and a half weeks": 10.5,
    "two years and a half": 912.5,
    "a week and a half": 10.5,
    "half a day": 0.5,
    "two hundred days": 200,
    "ten days now": 10,
    "a few days": null,
    "three books": null,
    "": null,
  };
  for (const [phrase, days] of Object.entries(spans)) assert.equal(readSpan(phrase), days, phrase);
});

Deno.test("two values are other spans where only their lengths differ", () => {
  assert.equal(isOtherSpan("six days old", "eight weeks old"), true);
  assert.equal(isOtherSpan("twenty-five days", "five days"), true);
  assert.equal(isOtherSpan("two hundred days", "one hundred days"), true);
  assert.equal(isOtherSpan("7 days", "a week"), false);
  assert.equal(isOtherSpan("six days old", "six days late"), false);
});

Deno.test("the span in a long text without blanks is looked for once from each place", () => {
  const started = performance.now();
  for (const word of ["1-", "week-", "three", "e\u0301"]) isOtherSpan(word.repeat(20_000), `${word.repeat(20_000)}x`);
  assert.ok(performance.now() - started < 2_000);
});

function relate(older: string, newer: string): string {
  const [before] = readClaims(older), [now] = readClaims(newer);
  assert.equal(before?.predicate, "has come to", older);
  assert.equal(now?.predicate, "has come to", newer);
  return relateSteps(now!, before!);
}

Deno.test("a later step ends an earlier one only where a word tells the change", () => {
  assert.equal(relate("I'm on page 40 of Dune.", "I'm on page 120 of Dune now."), "ends");
  assert.equal(relate("I'm at level 22.", "I've reached level 35."), "ends");
  assert.equal(relate("I'm on page 40 of Dune.", "I'm on page 120 of Dune."), "outdates");
  assert.equal(relate("I'm on page 120 of Dune.", "I'm on page 40 of Dune now."), "outdates");
  assert.equal(relate("I'm on the second chapter.", "I'm on the third chapter now."), "outdates");
});

Deno.test("a step of something else, an addition and the same step leave an earlier step alone", () => {
  assert.equal(relate("I'm on page 40 of Dune.", "I'm on page 120 of Emma now."), "none");
  assert.equal(relate("I'm on level 2.", "I'm on level 5 as well."), "none");
  assert.equal(relate("I'm on level 2.", "I'm on level 2 now."), "none");
});

Deno.test("a thing has its place in what is numbered, and does not come further", () => {
  for (const statement of ["The typo is on page 7.", "The bug is in version 3.", "The form is on page 5, too."]) {
    assert.deepEqual(readClaims(statement).filter(({ predicate }) => predicate === "has come to"), [], statement);
  }
});
