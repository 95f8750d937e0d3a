import assert from "node:assert/strict";
import { asSpeaker } from "./speaker.ts";

Deno.test("the user is read as the speaker, as subject or as object", () => {
  const read: Record<string, string> = {
    "The user has sold the user's boat.": "I has sold my boat.",
    "The user waters the plants.": "I waters the plants.",
    "The user needs a visa.": "I needs a visa.",
    "The user and others moved to Leeds.": "We moved to Leeds.",
    "The dog that bit the user was sold.": "The dog that bit me was sold.",
    "The boss who fired the user was sacked.": "The boss who fired me was sacked.",
    "Ben visited the user and was late.": "Ben visited me and was late.",
    "Ana said the user has moved.": "Ana said I has moved.",
    "The flat the user bought was sold.": "The flat I bought was sold.",
  };
  for (const [sentence, as] of Object.entries(read)) assert.equal(asSpeaker(sentence), as);
});

Deno.test("what is called after users in general is left as it is", () => {
  for (const text of ["Everyone at the user group likes Vim.", "The user interface is slow."]) {
    assert.equal(asSpeaker(text), text);
  }
});
