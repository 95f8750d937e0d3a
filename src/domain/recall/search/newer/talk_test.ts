import assert from "node:assert/strict";
import { tellsSomething } from "./talk.ts";

Deno.test("a question, a greeting or thanks tells nothing, in several languages; a remark with a fact does", () => {
  const nothing = [
    "how much wine for 80 ppl",
    "Wow! Have you visited any other places?",
    "thanks, see you then",
    "Wie lange halten Plätzchen?",
    "ok merci",
    "今日は何時？",
  ];
  for (const text of nothing) assert.ok(!tellsSomething(text), text);
  const something = [
    "lol ok I caved, its Zed all day now. Sublime is uninstalled",
    "fyi the boathouse key hangs in the pantry these days",
    "Is it late? Anyway, the van comes on Mondays.",
    "ok. le point design, on l'a calé le jeudi",
    "佐々木さんは大阪に行っちゃった",
  ];
  for (const text of something) assert.ok(tellsSomething(text), text);
});
