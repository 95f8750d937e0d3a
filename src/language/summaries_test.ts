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

Deno.test("a summary is the most telling sentences, verbatim, in order, with their speakers", () => {
  assert.equal(
    summariseTurns(TURNS, { sentencesMax: 3 }),
    "Melanie: I signed up for a pottery class yesterday.\n" +
      "Caroline: My pottery teacher moved to Oslo in May.\n" +
      "Melanie: We decided to go camping in the mountains in July.",
  );
});

Deno.test("a title names the speakers and the topics, and nobody's silence has one too", () => {
  assert.match(titleTurns(TURNS), /^Caroline, Melanie: pottery, /);
  assert.equal(titleTurns([]), "Conversation");
  assert.equal(summariseTurns([]), "");
});

Deno.test("system prompts are not summarised", () => {
  assert.equal(summariseTurns([say(null, "You must answer in French about boats.", "system")]), "");
});

Deno.test("a summary leaves out what somebody asks not to keep: a short message, or a sentence of a long one", () => {
  const turns = [
    { messageId: "1", role: "user" as const, content: "I moved to Leeds for the new job at the hospital." },
    { messageId: "2", role: "user" as const, content: "Don't remember this but I will propose to Gwen in Skye." },
    {
      messageId: "3",
      role: "user" as const,
      content: `${
        "The ward has twelve beds and a garden. ".repeat(12)
      }Do not store that Harold is ill. We start in July.`,
    },
  ];
  const summary = summariseTurns(turns, { sentencesMax: 20, charsMax: 5_000 });
  assert.match(summary, /Leeds/);
  assert.match(summary, /July/);
  assert.doesNotMatch(summary, /Skye|Harold/);
});
