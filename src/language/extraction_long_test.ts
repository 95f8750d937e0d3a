/** Reading texts of any shape takes time in proportion to their length. Left out of the quick form. */
import assert from "node:assert/strict";
import type { ConversationTurn } from "./conversation.ts";
import { proposeByRules } from "./extraction.ts";
import { doAll } from "./pieces.ts";
import { CorrectedTalk } from "./self_correction.ts";
import { cpuMs } from "../../tests/_cpu.ts";

function turn(content: string, more: Partial<ConversationTurn> = {}): ConversationTurn {
  return { messageId: "m1", role: "user", name: "Caroline", content, ...more };
}

Deno.test("the time grows with the length only, on any text", () => {
  const units = [
    "I ",
    "my favourite ",
    "I really really ",
    "a, ",
    "? ",
    "\"' ",
    "...",
    "i'm going to ",
    "é",
    "\n> ",
    "My a-",
    "Aa ",
    "1 may ",
    "```\n",
  ];
  for (const unit of units) {
    const content = unit.repeat(400_000 / unit.length);
    const tookMs = cpuMs(() => void proposeByRules([turn(content)]));
    assert.ok(tookMs < 2_500, `${JSON.stringify(unit)} took ${tookMs} ms`);
  }
});

Deno.test("corrections are read in time that grows with the length only", () => {
  for (const unit of ["sorry, 5 cows. ", "forget the 5, not 6. ", "wait, they moved it to the 4th of may\n"]) {
    const turns = [turn(unit.repeat(100_000 / unit.length))];
    const tookMs = cpuMs(() => void doAll(CorrectedTalk.read(turns)));
    assert.ok(tookMs < 2_500, `${JSON.stringify(unit)} took ${tookMs} ms`);
  }
});
