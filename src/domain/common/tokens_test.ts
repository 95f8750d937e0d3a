import assert from "node:assert/strict";
import { countTokens } from "./tokens.ts";

Deno.test("an empty text has no tokens and any other at least one", () => {
  assert.equal(countTokens(""), 0);
  assert.equal(countTokens("a"), 1);
});

Deno.test("English counts a quarter of a token a character, rounded up", () => {
  assert.equal(countTokens("abcd"), 1);
  assert.equal(countTokens("abcde"), 2);
  assert.equal(countTokens("The quick brown fox jumps over the lazy dog."), 11);
});

Deno.test("other alphabets count half a token a character, unspaced scripts and emoji a whole one", () => {
  assert.equal(countTokens("привет"), 3);
  assert.equal(countTokens("日本語"), 3);
  assert.equal(countTokens("👍👍"), 2);
});

Deno.test("a longer text never costs less", () => {
  let text = "", last = 0;
  for (const character of "A ü 日 👍 x? ".repeat(20)) {
    text += character;
    const count = countTokens(text);
    assert.ok(count >= last);
    last = count;
  }
});
