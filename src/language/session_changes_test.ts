import assert from "node:assert/strict";
import type { ConversationTurn } from "./conversation.ts";
import type { Statement } from "./proposals.ts";
import { settleChanges } from "./session_changes.ts";

const TURNS: ConversationTurn[] = ["Nora", "Ben"].map((name) => ({ messageId: name, role: "user", name, content: "" }));

function settle(...statements: string[]): string[] {
  return settleChanges(
    statements.map((statement): Statement => {
      return {
        messageId: "Nora",
        role: "user",
        statement,
        quote: "",
        start: 0,
        end: 0,
        factType: "fact",
        confidence: 1,
      };
    }),
    TURNS,
  ).outdated.map(({ statement }) => statement);
}

/** Pairs of an earlier and a later statement, and whether the later one says that the earlier one no longer holds. */
const PAIRS: readonly (readonly [string, string, boolean])[] = [
  ["Nora lives in Oslo.", "Nora moved from Oslo to Bergen.", true],
  ["The demo for the board is on Thursday, 5 March 2026.", "The demo is on Friday, not on Thursday.", true],
  ["The band costs 1,900 euros.", "Nora will cancel the band.", true],
  ["Nora works in a bakery on Saturdays.", "Nora stopped working at the bakery.", true],
  ["The contract runs until 30 November 2026.", "Ben can end the contract on 31 August 2026.", true],
  ["The tiles arrive on 20 May 2026.", "The tiles come on 27 May 2026, a week later.", true],
  ["Cancelled the 7:00 call with the Antwerp team.", "I've restored the call with the Antwerp team.", true],
  ["Cancelled the 7:00 call with the Antwerp team.", "I've restored the backup of the Antwerp server.", false],
  ["Felix owns the importer.", "Felix is no longer on the team.", false],
  ["Nora's membership number is 30917.", "Ben has cancelled Nora's membership.", false],
  ["The demo is on Friday.", "The retro is on Monday now.", false],
  ["Anna's rent is 900 euros.", "Tom's rent is now 1,100 euros.", false],
  ["Nora has a dog named Pixel.", "Nora bought a cat named Miso.", false],
  ["The staging cluster has three nodes.", "The production cluster moved to Zurich.", false],
];

for (const [first, later, isOutdated] of PAIRS) {
  Deno.test(`${isOutdated ? "taken back" : "stands"}: ${first} / ${later}`, () => {
    assert.deepEqual(settle(first, later), isOutdated ? [first] : []);
  });
}

Deno.test("who corrects the message before takes it back, as the correction quotes it", () => {
  const said = (messageId: string, words: string, before: string): Statement => ({
    ...{ messageId, role: "user", start: 0, end: words.length, factType: "fact", confidence: 1 },
    ...{
      quote: words,
      words,
      statement: `${before}Nora, 8 May 2023: "${words}"`,
      context: before === "" ? [] : ["m1"],
    },
  });
  const first = said("m1", "dentist is thursday 10am", "");
  const settled = (words: string) =>
    settleChanges([first, said("m2", words, 'Nora: "dentist is thursday 10am" ')], TURNS).outdated;
  assert.deepEqual(settled("sorry no, friday"), [first]);
  assert.deepEqual(settled("i said so on friday"), []);
  assert.deepEqual(settled("sorry no, i mean with Ada"), []);
});
