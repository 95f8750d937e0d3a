import assert from "node:assert/strict";
import { toFirstPerson } from "./first_person.ts";

const named = (...names: string[]) => names.map((name) => ({ name }));

Deno.test("a question keeps all its words but the names of some people, for whom it says I or my", () => {
  assert.equal(toFirstPerson("What desserts has Maria made?", named("maria")), "What desserts has I made?");
  assert.equal(
    toFirstPerson("Which of Tim's books did Ana Souza read?", named("tim", "ana souza")),
    "Which of my books did I read?",
  );
  assert.equal(toFirstPerson("Where is Ana Souza’s bike?", named("ana souza")), "Where is my bike?");
  assert.equal(toFirstPerson("What does Zoë drink?", named("zoë")), "What does I drink?");
  assert.equal(toFirstPerson("Where do we meet?", named("maria")), "Where do we meet?");
});

Deno.test("a question that is nothing but a name keeps it", () => {
  assert.equal(toFirstPerson("Maria?", named("maria")), "Maria?");
});
