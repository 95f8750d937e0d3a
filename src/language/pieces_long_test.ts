import assert from "node:assert/strict";
import type { ConversationTurn } from "./conversation.ts";
import { readProposals } from "./extraction.ts";
import { makeTitle, SummarySource } from "./summaries.ts";
import { readDecision } from "./decisions.ts";
import { doAll, type Pieces } from "./pieces.ts";
import { validateEach } from "./proposals.ts";
import { SENTENCE_CHARS_MAX } from "./sentences.ts";
import { settleEach } from "./session_changes.ts";

const PROSE = "Ada moved to Lisbon in March. We use Postgres instead of MySQL. Tom will look at the deploy on Friday. ";
const TEXTS = ["1 ", "a\n", "x", "名前", "한국 ", "I like it. ", PROSE];

function countPieces(pieces: Pieces<unknown>): number {
  let count = 0;
  while (!pieces.next().done) count++;
  return count;
}

function turnsOf(text: string, chars: number, count: number): ConversationTurn[] {
  return Array.from({ length: count }, (_, i) => ({
    messageId: `m${i}`,
    role: "user",
    name: "Ada",
    content: text.repeat(chars / text.length),
    occurredAt: "2026-03-05T10:00:00Z",
  }));
}

/** Everything that reads a whole session. */
const READS: Readonly<Record<string, (turns: ConversationTurn[]) => Pieces<unknown>>> = {
  "reading statements": readProposals,
  "reading for a summary": (turns) => SummarySource.read(turns, []),
  "making a title": (turns) => makeTitle(turns, 120),
  "settling changes": (turns) => settleEach(doAll(validateEach(turns, doAll(readProposals(turns)))).statements, turns),
};

for (const [name, read] of Object.entries(READS)) {
  Deno.test(`${name} stops after each bounded piece, whether the text is in one turn or in many`, () => {
    for (const text of TEXTS) {
      const long = countPieces(read(turnsOf(text, 20_000, 1)));
      const many = countPieces(read(turnsOf(text, 2_000, 10)));
      if (name !== "making a title" && name !== "settling changes") {
        assert.ok(long >= 20_000 / SENTENCE_CHARS_MAX - 1, `${text}: ${long} pieces`);
      }
      assert.ok(many >= (name === "settling changes" ? 1 : 10), `${text}: ${many} pieces`);
    }
  });
}

Deno.test("a check of proposals stops at each one, and at each sentence of a turn that it reads", () => {
  const turns = turnsOf(PROSE, 20_000, 1);
  const proposals = doAll(readProposals(turns));
  assert.ok(countPieces(validateEach(turns, proposals)) >= proposals.length + 20_000 / SENTENCE_CHARS_MAX);
});

Deno.test("a summary of another length does not read the turns again", () => {
  const turns = turnsOf(PROSE, 20_000, 2);
  const source = doAll(SummarySource.read(turns, doAll(readProposals(turns))));
  for (const charsMax of [1_000, 100, 10]) {
    // A look at some hundred sentences in each of at most eight rounds.
    assert.ok(countPieces(source.summarise({ charsMax })) <= 8 * 8, `${charsMax}`);
  }
});

Deno.test("the ends of a decision are cut off whatever they are", () => {
  const parts = { title: "Use oak", rationale: "It lasts", alternatives: [] };
  assert.deepEqual(readDecision("Ann decided to use oak. … !  because it lasts \t !…"), parts);
});
