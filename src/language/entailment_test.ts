import assert from "node:assert/strict";
import type { ConversationTurn } from "./conversation.ts";
import { validateProposals } from "./proposals.ts";

/** Who speaks, what is said, what a model makes of it. */
type Row = readonly [role: "user" | "assistant", said: string, statement: string];

const SAID: readonly Row[] = [
  ["user", "I moved to Oslo last week, and I'll buy a bike.", "Caroline moved to Oslo"],
  ["user", "My sister is allergic to nuts.", "Caroline's sister is allergic to nuts"],
  ["user", "I don't eat meat anymore.", "Caroline doesn't eat meat anymore"],
  ["user", "We're planning to sell the boat in May.", "Caroline is planning to sell the boat in May"],
  ["user", "Tom says the office will close.", "Tom says the office will close"],
  ["user", "If the bank agrees, we buy the mill.", "If the bank agrees, Caroline buys the mill"],
  ["assistant", "I booked the table for 8.", "The assistant booked the table for 8"],
];
const NOT_SAID: readonly Row[] = [
  ["user", "My sister is allergic to nuts.", "Caroline is allergic to nuts"],
  ["user", "I don't eat meat anymore.", "Caroline eats meat"],
  ["user", "We're planning to sell the boat in May.", "Caroline sold the boat in May"],
  ["user", "Maybe I sell the boat in May.", "Caroline sells the boat in May"],
  ["user", "If the bank agrees, we buy the mill.", "Caroline buys the mill"],
  ["user", "Tom says the office closes in June.", "The office closes in June"],
  ["user", "I wish I had a dog in Oslo.", "Caroline has a dog in Oslo"],
  ["user", "Does my boss live in Oslo?", "Caroline's boss lives in Oslo"],
  ["user", "I bought a castle in Spain. Just kidding!", "Caroline bought a castle in Spain"],
  ["user", "He works at the mill in Bergen.", "Caroline works at the mill in Bergen"],
  ["user", "I live in Oslo now.", "Caroline lives in Oslo with Ben now"],
  ["user", "You are good at chess.", "Caroline is good at chess"],
  ["assistant", "You should sell the boat in May.", "Caroline sells the boat in May"],
  ["assistant", "Basil needs water twice a day.", "Basil needs water twice a day"],
  ["assistant", "Dear Mr Holt, I have moved to Oslo.", "The assistant has moved to Oslo"],
];

function isKept([role, content, statement]: Row): boolean {
  const turn: ConversationTurn = { messageId: "m", role, name: role === "user" ? "Caroline" : null, content };
  return validateProposals([turn], [{ messageId: "m", quote: content, statement, confidence: 0.9 }]).statements.length >
    0;
}

for (const row of SAID) {
  Deno.test(`a model may say of "${row[1]}": ${row[2]}`, () => assert.ok(isKept(row)));
}
for (const row of NOT_SAID) {
  Deno.test(`a model may not say of "${row[1]}": ${row[2]}`, () => assert.ok(!isKept(row)));
}

Deno.test("a quote that leaves out the condition is read with its whole sentence", () => {
  const turn: ConversationTurn = {
    messageId: "m",
    role: "user",
    name: "Ann",
    content: "I quit my job if they cut the pay.",
  };
  const proposal = { messageId: "m", quote: "I quit my job", statement: "Ann quit her job", confidence: 0.9 };
  assert.deepEqual(validateProposals([turn], [proposal]).dropped.map(({ reason }) => reason), ["unsupported"]);
});
