import assert from "node:assert/strict";
import { guessVerb, pastOf, pastTenseOf } from "./verbs.ts";

Deno.test("participles are spelled as they are written, and apart from the past tense", () => {
  const participles =
    "commit committed submit submitted debug debugged occur occurred add added visit visited open opened listen listened " +
    "write written run run come come give given read read plan planned play played knit knitted need needed fix fixed";
  const words = participles.split(" ");
  for (let i = 0; i < words.length; i += 2) assert.equal(pastOf(words[i]!), words[i + 1]);
  assert.deepEqual(["write", "run", "give", "add"].map(pastTenseOf), ["wrote", "ran", "gave", "added"]);
});

Deno.test("a verb that no list has is guessed by its ending", () => {
  const guessed: Record<string, [string, string]> = {
    added: ["add", "past"],
    freed: ["free", "past"],
    planned: ["plan", "past"],
    tried: ["try", "past"],
    goes: ["go", "third"],
    dies: ["die", "third"],
    tries: ["try", "third"],
    guesses: ["guess", "third"],
    red: ["red", "base"],
    speed: ["speed", "base"],
    water: ["water", "base"],
  };
  for (const [word, [lemma, form]] of Object.entries(guessed)) assert.deepEqual(guessVerb(word), { lemma, form }, word);
});
