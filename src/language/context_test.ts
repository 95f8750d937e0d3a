import assert from "node:assert/strict";
import type { ConversationTurn } from "./conversation.ts";
import { proposeByRules } from "./extraction.ts";

/** What is kept of a talk; a line begins with the role of its speaker. */
function keep(...said: readonly string[]): string[] {
  const turns = said.map((line, i): ConversationTurn => {
    const [, role, content] = /^(\w+): ([^]+)$/u.exec(line)!;
    return {
      messageId: `m${i}`,
      role: role as ConversationTurn["role"],
      content: content!,
      occurredAt: "2023-05-08T10:00:00Z",
    };
  });
  return proposeByRules(turns).map(({ statement }) => statement);
}

Deno.test("the nearest line that shares a word is quoted, and not the opening line or the line before", () => {
  const kept = keep(
    "user: can you keep notes for the kitchen? we start monday",
    "assistant: Happy to!",
    "user: The electrician Piotr Sowa comes from Halle with a helper and two ladders",
    "assistant: Noted.",
    "user: budget is 11k, 12 with the floor",
    "assistant: Noted.",
    "user: electrician lives at 12 Kiln Street",
  );
  assert.equal(
    kept.at(-1),
    'User: "The electrician Piotr Sowa comes from Halle with a helper and two ladders" User, 8 May 2023: "electrician lives at 12 Kiln Street"',
  );
});

Deno.test("a line that shares a word and does not say itself what it is about stands behind the opening line", () => {
  const kept = keep(
    "user: my cat Pepita was diagnosed with diabetes on thursday",
    "assistant: Oh no!",
    "user: 1 unit twice a day, 7 and 19 o'clock",
    "assistant: Noted.",
    "user: chicken pate from Animonda is all she eats",
    "assistant: Noted.",
    "user: its 2 units now, said the vet",
  );
  assert.match(kept.at(-1)!, /^User: "my cat Pepita [^"]+" User: "1 unit [^"]+" User, 8 May 2023: "its 2 units/u);
});
