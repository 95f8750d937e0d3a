import assert from "node:assert/strict";
import { ownWords, withoutContext, withoutHead } from "./reported_speech.ts";

Deno.test("claims are read of the speaker's own words, unless one of them means what is quoted before", () => {
  const asked = 'Ann: "Where does the choir meet?" … Ann: "And "when" is it?" Ben, 8 May 2023: ';
  assert.equal(
    withoutContext(`${asked}"The choir meets in Riga until March 2024."`),
    "Ben, 8 May 2023: The choir meets in Riga until March 2024.",
  );
  for (const whole of [`${asked}"It meets in Riga."`, `${asked}"Riga."`, "Ben, 8 May 2023: I live in Riga."]) {
    assert.equal(withoutContext(whole), whole);
  }
  assert.equal(ownWords(`${asked}"The choir meets in Riga on 3 May."`), "Ben: The choir meets in Riga on 3 May.");
  assert.equal(ownWords("Ben, 8 May 2023: I live in Riga."), "Ben: I live in Riga.");
  assert.equal(ownWords("Ben lives in Riga since 8 May 2023: a flat"), "Ben lives in Riga since 8 May 2023: a flat");
  assert.equal(withoutHead(`${asked}"In Riga."`), "In Riga.");
  assert.equal(withoutHead("Ben, 8 May 2023: I live in Riga."), "I live in Riga.");
});
