/** What the gate for claims leaves out, what it takes for unsure, and what may end an older claim. */
import assert from "node:assert/strict";
import { tell } from "./_examples.ts";
import { showPredicate } from "./sound.ts";
import { readClaims } from "./read.ts";
import { relateAll } from "./relate.ts";

/** Sentences as people write them, of which none says anything that a stranger could take for true by itself. */
const SENSELESS = [
  "nein der ist am Montag",
  "by week cos the budget drops again",
  "half the crew is in Lisbon",
  "one of them lives in Ghent",
  "nothing seems to be working",
  "mi prima is in Sevilla",
  "the caravan insurance is with Direct Line",
  "I'm with Plusnet",
  "we've got a couple of ideas, like the one about the pond",
  "I love this one",
  "She loves your kittens so much",
  "Moments like that stay with me",
  "I'm excited to meet the others and learn more",
  "the shelf is 2.4 by 1.2 metres (or",
  "I'm at Costa till 4",
  "Somebody lives in there",
];

Deno.test("who or what is no one, a fragment and a place that is no home are no claims", () => {
  for (const sentence of SENSELESS) {
    const sure = readClaims(sentence).filter(({ confidence }) => confidence >= 0.8);
    assert.equal(tell(sure), "nothing", sentence);
  }
});

/** What the words after a verb leave out, and whom a pronoun does not mean. */
const READ: readonly (readonly [string, string])[] = [
  ["i prefer aisle seats tbh", "user prefers aisle seats"],
  ["We moved to Lublin last autumn.", "we lives in Lublin (replaced)"],
  ["I'm visiting my aunt Cora, she's 75.", "Cora is (measure) 75"],
  ["My rent is 850 a month.", "user's rent is (measure) 850 a month"],
  ["I've joined Otley Harriers, they meet by the bridge.", "user is a member of Otley Harriers (began)"],
  ["I've joined Siemens as an engineer.", "user works at Siemens (replaced); user works as engineer (began)"],
  ["I left Leeds for Lyon.", "user lives in Lyon (replaced, from Leeds)"],
];

Deno.test("a claim ends where what is true ends, and is about whom it is about", () => {
  for (const [sentence, told] of READ) {
    assert.equal(tell(readClaims(sentence).filter(({ confidence }) => confidence >= 0.8)), told, sentence);
  }
});

const PAIRS: readonly (readonly [relation: string, older: string, newer: string])[] = [
  ["none", "I'm a surveyor at Marlow & Finch.", "choir: I've joined the Ryedale Singers here, thursdays"],
  ["none", "I work at Siemens.", "I've joined Riverside Harriers."],
  ["none", "I work at Siemens.", "I do saturdays at Tesco too."],
  ["none", "I work at Siemens.", "I also work weekends at Tesco."],
  ["none", "I work at Siemens.", "I used to work at Bosch."],
  ["none", "I work at Siemens.", "Dave has started at Bosch."],
  ["none", "I work at Siemens.", "My sister works at Bosch now."],
  ["none", "I work at Siemens.", "I left Leeds for York."],
  ["none", "I live in Leeds.", "We also have a flat in Porto."],
  ["none", "I live in Leeds.", "my sister has moved to York"],
  ["outdates", "I live in Leeds.", "I'm in York now."],
  ["ends", "I live in Leeds.", "I've moved to York."],
  ["ends", "I work at Siemens.", "I've started at Bosch."],
  ["ends", "I work at Siemens.", "I work at Bosch now."],
  ["ends", "I work at Siemens.", "I've left Siemens."],
  ["ends", "I jog before work.", "I no longer jog before work."],
];

Deno.test("only what is sure, and of the same person in the same respect, ends an older claim", () => {
  for (const [relation, older, newer] of PAIRS) {
    assert.equal(relateAll(readClaims(newer), readClaims(older)), relation, `${older} / ${newer}`);
  }
});

Deno.test("a thing is in its place, and a person or a company lives there", () => {
  const shown = (sentence: string) => readClaims(sentence).map(showPredicate).join();
  assert.equal(shown("The spare key is in the drawer."), "is in");
  assert.equal(shown("My brother lives in Turin."), "lives in");
  assert.equal(shown("Nadia has moved to Turin."), "lives in");
});
