import assert from "node:assert/strict";
import { guessedKeysOf, keepGuesses, prepareGuesses, type Saying } from "./inferred.ts";

const TOLD: Saying = { statement: "I'm done with Trello.", subject: null, predicate: null, object: null };

Deno.test("guesses that were made before a fact is compared are found by its body, and by one with other settings", () => {
  const body = { ...TOLD };
  const keys = guessedKeysOf({ body });
  assert.notEqual(keys.length, 0);
  const early = { ...TOLD };
  prepareGuesses(early);
  // Its statement must not be read any more.
  const settled = Object.assign({ ...early }, { statement: "The sky is blue." });
  keepGuesses(early, settled);
  assert.deepEqual(guessedKeysOf({ body: settled }), keys);
  const unread = { ...TOLD, statement: "The sky is blue." };
  keepGuesses({ ...TOLD }, unread);
  assert.notDeepEqual(guessedKeysOf({ body: unread }), keys);
});
