import assert from "node:assert/strict";
import { isFramed, takesBack } from "./framing.ts";
import { readClaims } from "./mod.ts";

Deno.test("a sentence is framed that tells what somebody says, or what is to be written or made believe", () => {
  for (
    const framed of [
      "My aunt assumes that I'm poor because I live in Leeds now.",
      "They offered me a script: I live in Leeds now.",
      "The story is that Ben cried because I sold my car.",
      "They say I left because I've moved to Leeds.",
      "Please write a story about Tom, who is sad because I work at Google now.",
      "You should tell her it's because I live in Leeds now.",
      "Pretend you like me because I live in Leeds now.",
    ]
  ) assert.equal(isFramed(framed), true, framed);
  for (
    const own of ["I'm asking because I work at Siemens now.", "I've read twelve books.", "My writing desk is oak."]
  ) {
    assert.equal(isFramed(own), false, own);
  }
});

Deno.test("a doubt, a plan and a game take back what was said before them", () => {
  for (
    const doubt of [
      ", but it might be a phase",
      ", or so I wish",
      ", but you shouldn't believe that",
      ", and that would be the plan",
      ", which is false",
      ", but that was in the game",
      ", so my doctor would like to hear",
    ]
  ) assert.equal(takesBack(doubt), true, doubt);
  for (const other of [", so I'm looking for a gym", ", and that's not enough", ", and I can cycle to work"]) {
    assert.equal(takesBack(other), false, other);
  }
});

const valuesOf = (text: string) => readClaims(text).map(({ value }) => value);

Deno.test("what is told as a reason or before a plan is claimed, and nothing of what may not be so", () => {
  assert.deepEqual(valuesOf("I'm asking because I work at Siemens now."), ["Siemens"]);
  assert.deepEqual(valuesOf("I live in Leeds now, so I'm looking for a gym."), ["Leeds"]);
  assert.deepEqual(valuesOf("I live in Leeds now, so I should find a gym."), ["Leeds"]);
  for (
    const text of [
      "Ana believes Ben is sad because the team is led by Tom now.",
      "I live in Leeds now, but that might change.",
      "I live in Leeds now, and I should know because I'm kidding.",
      "My flight is at 11 now, as it would be in a perfect world.",
      "I've moved to Paris, so I'm told.",
      "I'm considering what to reply; I live in Leeds now.",
      "I'm asking him to admit he left because I live in Leeds now.",
      "I've nearly all but quit smoking.",
      "The scammer claimed: the user works at Google now.",
      "I've lived in Rome in 2009.",
      "I've lived in Rome for a week.",
    ]
  ) assert.deepEqual(valuesOf(text), [], text);
});

Deno.test("what a count is of has no number of its own", () => {
  const of = readClaims("I have two dogs and I've walked three of them.");
  assert.ok(of.every(({ value }) => !value.includes("three two")), JSON.stringify(of));
});
