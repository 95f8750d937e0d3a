import assert from "node:assert/strict";
import { cpuMs } from "../../tests/_cpu.ts";
import { findSpokenTimes, resolveTimes } from "./spoken_times.ts";

/** A Monday. */
const SAID = new Date("2026-03-09T09:00:00Z");

/** Sentences, and the same sentences with the dates that they mean. */
const TIMES: readonly (readonly [string, string])[] = [
  ["The demo is on Thursday at 14:00.", "The demo is on Thursday, 12 March 2026 at 14:00."],
  ["Felix left on Friday.", "Felix left on Friday, 6 March 2026."],
  ["Last Friday, we met.", "On Friday, 6 March 2026, we met."],
  ["Her holidays start next Friday.", "Her holidays start on Friday, 20 March 2026."],
  ["They start on Monday in two weeks.", "They start on Monday, 23 March 2026."],
  ["We met yesterday evening.", "We met on the evening of 8 March 2026."],
  ["I cook tonight.", "I cook on the evening of 9 March 2026."],
  ["It crashed last night.", "It crashed in the night of 8 March 2026."],
  ["It is green since this morning.", "It is green since the morning of 9 March 2026."],
  ["Ravi owns it since last week.", "Ravi owns it since the week of 2 March 2026."],
  ["We can't log in since the weekend.", "We can't log in since the weekend of 7 March 2026."],
  ["The release moves to 1 December.", "The release moves to 1 December 2026."],
  ["I go from 2 November to 13 January.", "I go from 2 November 2026 to 13 January 2027."],
  ["We fly on 3 September and return on the 19th.", "We fly on 3 September 2026 and return on 19 September 2026."],
  ["We used Sentry until December.", "We used Sentry until December 2025."],
  ["Priya is away until the end of May.", "Priya is away until the end of May 2026."],
  ["Give notice by the end of the month.", "Give notice by the end of March 2026."],
  ["It is on Tuesdays since October.", "It is on Tuesdays since October 2025."],
  ["Rui marries next May.", "Rui marries in May 2026."],
  ["She moves in the summer.", "She moves in the summer of 2026."],
  ["It was 160 in spring.", "It was 160 in the spring of 2025."],
  ["I adopted a cat two weeks ago.", "I adopted a cat around 23 February 2026."],
  ["I had surgery two years ago.", "I had surgery in 2024."],
  ["We launch in three days.", "We launch on 12 March 2026."],
  ["Water is turned off on 29 May.", "Water is turned off on 29 May 2026."],
  // A day that comes back each year, and the day of a birth, get no year.
  ["My birthday is June 10.", "My birthday is June 10."],
  ["Mia's birthday is on the 3rd of May.", "Mia's birthday is on the 3rd of May."],
  ["Their anniversary is in October.", "Their anniversary is in October."],
  ["I was born on 5 June.", "I was born on 5 June."],
  ["We meet every year on 29 May.", "We meet every year on 29 May."],
  // Of one year it is all the same when its age or its year stands beside it.
  [
    "I bake a cake for Mum's birthday, she turns 60 on 2 April.",
    "I bake a cake for Mum's birthday, she turns 60 on 2 April 2026.",
  ],
  ["Our anniversary is on 15 August this year.", "Our anniversary is on 15 August 2026 in 2026."],
  ["My birthday party is on Friday.", "My birthday party is on Friday, 13 March 2026."],
  ["We fly on 29 May.", "We fly on 29 May 2026."],
  // These name no time, a habit, a length of time, or a time that is complete already.
  ["I read it in two days.", "I read it in two days."],
  ["Swimming is on Mondays.", "Swimming is on Mondays."],
  ["We met on 5 June 2024.", "We met on 5 June 2024."],
  ["We met in July 2024 and on 2025-03-04.", "We met in July 2024 and on 2025-03-04."],
  ["I may march on.", "I may march on."],
  ["He lives on the 4th floor.", "He lives on the 4th floor."],
  ["", ""],
];

for (const [said, meant] of TIMES) {
  Deno.test(`time meant by: ${said}`, () => assert.equal(resolveTimes(said, SAID), meant));
}

Deno.test("a time stands where it was found, and a moment that is none gives no date", () => {
  const said = "We met yesterday, on Sunday.";
  const [time] = findSpokenTimes(said, SAID);
  assert.equal(said.slice(time!.start, time!.end), "yesterday");
  assert.equal(time!.from.toISOString(), "2026-03-08T00:00:00.000Z");
  assert.deepEqual(findSpokenTimes(said, new Date("nonsense")), []);
});

Deno.test("times are found in time that grows with the length", () => {
  for (const unit of ["on the ", "in 2 ", "Monday ", "1 May ", "the end of the "]) {
    const tookMs = cpuMs(() => void resolveTimes(unit.repeat(500 / unit.length), SAID));
    assert.ok(tookMs < 500, `${unit}: ${tookMs} ms`);
  }
});
