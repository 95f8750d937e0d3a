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

Deno.test("a value that is denied first is replaced by the one that follows, in one sentence or in the next", () => {
  assert.deepEqual(keep("user: I train on Monday and Thursday at the club.", "user: not monday, tuesday."), [
    "User, 8 May 2023: I train on tuesday and Thursday at the club.",
  ]);
  assert.deepEqual(keep("user: the choir sings mon and thurs in Riga", "user: not mon! mon is polo. wed and thurs"), [
    "User, 8 May 2023: the choir sings wed and thurs in Riga",
  ]);
  assert.deepEqual(keep("user: My nightly run starts at 2:30 on box kestrel.", "user: not 2:30! 3:45"), [
    "User, 8 May 2023: My nightly run starts at 3:45 on box kestrel.",
  ]);
});

Deno.test("what its speaker revises in the next message stands only before the revision, and explains nothing later", () => {
  const kept = keep(
    "user: our kitchen is being painted in May",
    "assistant: Nice.",
    "user: i want the long wall red",
    "assistant: Bold!",
    "user: actually no red. ochre",
    "assistant: Noted.",
    "user: the long wall needs two coats by friday",
  );
  const red = kept.filter((one) => one.includes("wall red"));
  assert.equal(red.length, 1);
  assert.match(red[0]!, /"i want the long wall red".* User, 8 May 2023: "actually no red\. ochre"$/u);
});

Deno.test("what somebody must not have or takes, a rule of a few words and what is dropped are kept", () => {
  const kept = keep(
    "user: planning the christening for the 4th, 60 guests",
    "assistant: Lovely!",
    "user: cant have nuts anywhere, my goddaughter goes into shock",
    "user: im dyslexic so can u write short sentences from now on",
    "user: deposit 150 paid just now",
    "user: so ditch the balloon release",
    "user: napkins go left of the fork, not under it",
    "user: lets go with the string trio",
  ).join("\n");
  for (
    const words of [
      "cant have nuts",
      "im dyslexic",
      "deposit 150",
      "ditch the balloon",
      "left of the fork",
      "lets go with",
    ]
  ) {
    assert.ok(kept.includes(words), words);
  }
});

Deno.test("what a pasted letter says is told as its writer's words, and a message with a greeting is its sender's", () => {
  assert.deepEqual(
    keep(
      "user: the printer wrote, what do i have to do? Hi Lotte, the proofs are ready. I need them by 13 February. Best, Milan Horak",
      "user: the poster is due on the 20th of March",
    ),
    [
      'User, 8 May 2023: Milan Horak wrote: "Hi Lotte, the proofs are ready. I need them by 13 February."',
      "User, 8 May 2023: the poster is due on the 20th of March",
    ],
  );
  const mail = "From: Ada Krol <ada@krol.pl>\nTo: me\nSubject: rent\nThe rent rises to 940 from 1 April.";
  assert.deepEqual(keep(`user: ${mail}`), [
    'User, 8 May 2023: Ada Krol wrote: "The rent rises to 940 from 1 April."',
  ]);
  const own = keep("user: Hi Claude,\nI have worked at Fenwick Labs since May 2025.\nThanks,\nTomas").join("\n");
  assert.doesNotMatch(own, /wrote/u);
  assert.match(own, /Fenwick/u);
});

Deno.test("a line is kept with the parts that say more of it, and a label says what it is about", () => {
  const kept = keep(
    "user: moving in with dad, keep notes?",
    "assistant: Sure.",
    "user: fuse for the boiler is the black one, top row. you flip it twice. please note it cos i always forget",
    "assistant: Ok.",
    "user: the piano goes to Ruben, it wont fit. he fetches it sunday w his van",
    "assistant: Ok.",
    "user: plumber: Jonna Falk, 60 an hour",
    "assistant: There are two slots for the lift, 8:00 and 13:00.",
    "user: 13:00. booking it",
    "user: no plastic in the compost please. ever",
  );
  const ends = kept.map((one) => /"([^"]*)"$/u.exec(one)?.[1] ?? one.replace(/^User, 8 May 2023: /u, ""));
  assert.deepEqual(ends, [
    "fuse for the boiler is the black one, top row. you flip it twice. please note it cos i always forget",
    "the piano goes to Ruben, it wont fit. he fetches it sunday w his van",
    "plumber: Jonna Falk, 60 an hour",
    "13:00. booking it",
    "no plastic in the compost please. ever",
  ]);
  assert.ok(!kept[2]!.includes("piano"));
  assert.ok(kept[3]!.includes("two slots for the lift"));
});

Deno.test("what turns out not to be a thing stands only before what it is instead", () => {
  const kept = keep(
    "user: The bike is in the shop, the rear wheel wobbles",
    "assistant: Oh no.",
    "user: Ruth thinks it is the hub, 90 quid",
    "assistant: Ok.",
    "user: turned out it wasnt the hub, a spoke was loose",
    "user: tickets for the ferry are 14, kids 7",
    "assistant: So tickets are 14, and 7 for kids.",
    "user: lol a spoke walks into a bar with Ruth",
  );
  assert.equal(kept.filter((one) => one.includes("the hub, 90")).length, 1);
  assert.ok(kept.some((one) => /hub, 90 quid".*wasnt the hub, a spoke was loose"$/u.test(one)), kept.join("\n"));
  assert.ok(!kept.some((one) => one.startsWith("Assistant") || one.includes("Assistant, 8 May")), kept.join("\n"));
  assert.ok(!kept.some((one) => one.includes("walks into")));
});
