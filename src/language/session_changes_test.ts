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
