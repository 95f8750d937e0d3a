import assert from "node:assert/strict";
import { SENTENCE_CHARS_MAX, splitSentences } from "./sentences.ts";

const CASES: [string, string[]][] = [
  ["", []],
  ["  \n\t ", []],
  ["One. Two! Three? four", ["One.", "Two!", "Three?", "four"]],
  ["i like tea. i hate coffee", ["i like tea.", "i hate coffee"]],
  ["Dr. Smith met J. Doe at 3.30 p.m. on Monday.", ["Dr. Smith met J. Doe at 3.30 p.m. on Monday."]],
  ["Well... maybe. Ok... Then no.", ["Well... maybe.", "Ok...", "Then no."]],
  ['She said "no." Then left.', ['She said "no."', "Then left."]],
  ["See example.com/a.b for v1.2.3 now", ["See example.com/a.b for v1.2.3 now"]],
  ["Great!🎉 Next", ["Great!", "🎉 Next"]],
  ["- first item\n2. second item\n* third", ["first item", "second item", "third"]],
  ["Before\n```\nI like code.\n```\nAfter\n> I was quoted\nEnd", ["Before", "After", "End"]],
  ["東京に住む。寿司が好き！", ["東京に住む。", "寿司が好き！"]],
  ["Wait what?!? Yes", ["Wait what?!?", "Yes"]],
  ["\ud800. \udc00!", ["\ud800.", "\udc00!"]],
];

for (const [text, expected] of CASES) {
  Deno.test(`sentences of ${JSON.stringify(text)}`, () => {
    assert.deepEqual(splitSentences(text).map(({ start, end }) => text.slice(start, end)), expected);
  });
}

Deno.test("an overlong sentence is cut at clauses, without half characters, and nothing is lost", () => {
  for (const unit of ["word ", "clause here, ", "x", "👍"]) {
    const text = unit.repeat(1_000);
    const pieces = splitSentences(text).map(({ start, end }) => text.slice(start, end));
    assert.ok(pieces.every((piece) => piece.length <= SENTENCE_CHARS_MAX && piece.isWellFormed()));
    assert.equal(pieces.join("").replaceAll(" ", ""), text.replaceAll(" ", ""));
  }
});
