import assert from "node:assert/strict";
import { cardinalityOf, predicateKey } from "./predicates.ts";

Deno.test("a predicate is the same however it is spelt", () => {
  const spellings = [
    "lives in",
    "livesIn",
    "lives_in",
    "Lives-In",
    "currently lives in",
    "is now lives in",
    " lives  in ",
  ];
  assert.deepEqual(new Set(spellings.map(predicateKey)), new Set(["lives in"]));
});

Deno.test("predicates with one value at a time are known as such", () => {
  const one = [
    ..."lives in|is living in|livesIn|works at|works as|job title|is married to|husband|status|order status|price|monthly price"
      .split("|"),
    ..."backup retention|rate limit|is located in|office|reports to|is the contact|deadline|release date|was born in|born on"
      .split("|"),
    ..."name|dog's name|favourite colour|all-time favorite song|default branch|number of employees|age|weight|plan"
      .split("|"),
  ];
  assert.deepEqual(one.filter((predicate) => cardinalityOf(predicate) !== "one"), []);
});

Deno.test("predicates with several values at a time are known as such", () => {
  const many = [
    ..."children|child|has child|languages|speaks|skills|visited|places visited|countries visited|has been to|hobbies"
      .split("|"),
    ..."likes|is allergic to|member of|friends|plays|has read|depends on|tags|lived in|worked at|was married to".split(
      "|",
    ),
  ];
  assert.deepEqual(many.filter((predicate) => cardinalityOf(predicate) !== "many"), []);
});

Deno.test("of other predicates nothing is claimed", () => {
  const unknown = ["uses", "prefers", "guards", "was seen at", "favourite books", ""];
  assert.deepEqual(unknown.filter((predicate) => cardinalityOf(predicate) !== undefined), []);
});

Deno.test("what a workspace says of a predicate counts before the defaults, in any spelling", () => {
  const settings = { "Uses": { exclusive: true }, "lives_in": { exclusive: false } };
  assert.equal(cardinalityOf("currently uses", settings), "one");
  assert.equal(cardinalityOf("livesIn", settings), "many");
  assert.equal(cardinalityOf("speaks", settings), "many");
});
