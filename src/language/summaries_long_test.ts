/** Summaries of texts of any shape and length. Left out of the quick form. */
import assert from "node:assert/strict";
import type { ConversationTurn } from "./conversation.ts";
import { summariseTurns, titleTurns } from "./summaries.ts";

const say = (name: string | null, content: string, role: ConversationTurn["role"] = "user"): ConversationTurn => ({
  messageId: content.slice(0, 8),
  role,
  name,
  content,
});

const TURNS = [
  say("Caroline", "Hey Mel! Good to see you! How have you been?"),
  say("Melanie", "I signed up for a pottery class yesterday. Pottery calms me down."),
  say("Caroline", "Sounds great! My pottery teacher moved to Oslo in May. Any plans for the summer?"),
  say("Melanie", "We decided to go camping in the mountains in July. Take care!"),
];

Deno.test("a summary never exceeds its bound, whatever is said", () => {
  const texts = [
    "",
    "?",
    "a",
    "x".repeat(100_000),
    "I bought a boat. ".repeat(5_000),
    "\ud800 \u0000",
    "👍 ".repeat(1_000),
  ];
  for (const charsMax of [10, 100, 1_200]) {
    for (const text of texts) {
      const summary = summariseTurns([say("Al", text), ...TURNS, say(null, text, "tool")], { charsMax });
      assert.ok(summary.length <= charsMax && summary.isWellFormed(), `${summary.length} of ${charsMax}`);
      assert.ok(titleTurns([say("Al", text)], charsMax).length <= charsMax);
    }
  }
});
