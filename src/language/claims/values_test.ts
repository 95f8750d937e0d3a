/** What one value says of another: numbers that look like times, and denials that leave something standing. */
import assert from "node:assert/strict";
import { type ClaimRelation, readClaims, relateAll } from "./mod.ts";

function relate(older: string, newer: string): ClaimRelation {
  return relateAll(readClaims(newer), readClaims(older));
}

const NEWER: readonly (readonly [string, string])[] = [
  ["The current version of Zorbix is 1.9.", "The current version of Zorbix is 1.10."],
  ["The latest release of Zorbix is 1.09.", "The latest release of Zorbix is 1.10."],
  ["The version of Zorbix is 1.1.", "The version of Zorbix is 1.10."],
  ["The latest version of Zorbix is 20.11.", "The latest version of Zorbix is 22.4."],
  ["The latest version of Zorbix is v20.11.", "The latest version of Zorbix is v22.04."],
  ["The stable version of Zorbix is 3.9.", "The stable version of Zorbix is 3.10."],
  ["The build number of Zorbix is 11.59.", "The build number of Zorbix is 12.01."],
  ["The price of milk is 1.10.", "The price of milk is 1.25."],
  ["The price of milk is 0.9.", "The price of milk is 1.05."],
  ["The score of the quiz is 2.5.", "The score of the quiz is 3.15."],
  ["The gear ratio of the bike is 2.5.", "The gear ratio of the bike is 2.75."],
  ["The IP of the printer is 10.0.0.12.", "The IP of the printer is 10.0.0.40."],
  ["The latest tag of Zorbix is 2.3.1.", "The latest tag of Zorbix is 2.4.0."],
  ["The standup is at 9.30.", "The standup is at 10.15."],
  ["The standup is at 9.30.", "The standup is now at 10:15."],
  ["The meeting is 9.30 on Mondays.", "The meeting is 10.30 on Mondays."],
];

Deno.test("a newer number outdates the older one, also where it looks like a time of day", () => {
  for (const [older, newer] of NEWER) assert.notEqual(relate(older, newer), "none", newer);
  for (const [older, newer] of NEWER.slice(0, 13)) {
    const respects = [older, newer].flatMap((text) => readClaims(text).map(({ respect }) => respect));
    assert.ok(!respects.includes("time"), newer);
  }
  for (const text of ["The standup is at 9.30.", "The standup is 9.30 am.", "The standup is 9.30 on Mondays."]) {
    assert.equal(readClaims(text)[0]!.respect, "time", text);
  }
});

const STANDING: readonly (readonly [string, string])[] = [
  ["Ona drinks coffee.", "Ona never drinks coffee after 4 pm."],
  ["Ona drinks coffee.", "Ona does not drink coffee in the evening."],
  ["Ona likes jazz.", "Ona doesn't like jazz when she is tired."],
  ["Ona eats meat.", "Ona doesn't eat meat on Fridays."],
  ["Ona eats breakfast.", "Ona never eats breakfast before 9."],
  ["Ona uses Slack.", "Ona doesn't use Slack after work."],
  ["Ona eats fish.", "Ona never eats fish without lemon."],
  ["Ona drives a car.", "Ona does not drive at night."],
  ["Ona has a pet.", "Ona has a cat."],
  ["Ona lives in Berlin.", "Ona lives in Germany."],
  ["Ona lives in Portugal.", "Ona lives in Faro."],
  ["Ona lives in Paris.", "Ona lives in Europe."],
  ["Ona lives in Leeds.", "Ona lives in the UK."],
  ["Ona lives in Portland.", "Ona lives in Oregon."],
  ["Ona lives in Kreuzberg.", "Ona lives in Berlin."],
  ["Ona lives in New York.", "Ona lives in Brooklyn."],
  ["Ona lives in München.", "Ona lives in Bavaria."],
  ["Ona lives in Lisbon, Portugal.", "Ona lives in Lisbon."],
  ["Ona lives in Scotland.", "Ona has moved to Edinburgh."],
  ["Ona works in Zurich.", "Ona works in Switzerland."],
  ["The office is in Toronto.", "The office is in Ontario."],
  ["Ona lives in Germany.", "Ona lives in Europe."],
  ["Ona lives in a flat.", "Ona lives in Berlin."],
  ["Ona lives in a small house.", "Ona lives in Oslo."],
  ["Ona is a doctor.", "Ona is a cardiologist."],
  ["Ona plays an instrument.", "Ona plays the piano."],
  ["Ona drives a car.", "Ona drives a Tesla."],
];

const CHANGED: readonly (readonly [string, string])[] = [
  ["Ona drinks coffee.", "Ona no longer drinks coffee."],
  ["Ona drinks coffee.", "Ona doesn't drink coffee."],
  ["Ona lives in Berlin.", "Ona lives in Hamburg."],
  ["Ona lives in Germany.", "Ona lives in France."],
  ["Ona lives in Berlin.", "Ona has moved to France."],
  ["Ona lives in Portland.", "Ona lives in Seattle."],
  ["Ona lives in Munich.", "Ona lives in France."],
  ["Ona lives in Kreuzberg.", "Ona lives in Hamburg."],
  ["Ona lives in Oregon.", "Ona lives in Ohio."],
  ["Ona lives in Paris.", "Ona lives in Texas."],
  ["Ona works in Zurich.", "Ona works in Geneva."],
  ["Ona is a consultant.", "Ona is a senior consultant."],
  ["Ona is a doctor.", "Ona is a teacher now."],
];

Deno.test("a denial that is limited, and a more exact word, leave standing what was said before", () => {
  for (const [older, newer] of STANDING) assert.equal(relate(older, newer), "none", newer);
  for (const [older, newer] of CHANGED) assert.notEqual(relate(older, newer), "none", newer);
});
