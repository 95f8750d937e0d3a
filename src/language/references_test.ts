import assert from "node:assert/strict";
import { resolveReferences } from "./references.ts";
import { Scene } from "./scene.ts";

/** Sentences that Nora says to Ben one after another, and their meaning by themselves; null: they have none. */
const TALKS: readonly (readonly (readonly [string, string | null])[])[] = [
  [["I live in Oslo and work at Acme.", "Nora lives in Oslo and works at Acme."]],
  [["I don't eat meat, I've stopped.", "Nora doesn't eat meat, Nora has stopped."]],
  [["I'd like my own desk.", "Nora would like Nora's own desk."]],
  [["I like to cook and bake.", "Nora likes to cook and bake."]],
  [["We use Postgres for our queue.", "Nora and others use Postgres for Nora's queue."]],
  [["You said that your boss left.", "Ben said that Ben's boss left."]],
  [["My sister Anna moved to Berlin.", "Nora's sister Anna moved to Berlin."], [
    "She works at SAP and I visit her often.",
    "Anna works at SAP and Nora visits her often.",
  ]],
  [["My mum's knee hurts, she can't walk.", "Nora's mum's knee hurts, she can't walk."]],
  [["We moved to Porto.", "Nora and others moved to Porto."], [
    "I have worked there since May.",
    "Nora has worked in Porto since May.",
  ]],
  [["I adopted a dog named Pixel.", "Nora adopted a dog named Pixel."], ["It barks.", "The dog barks."]],
  [["My study partner is called Mirko.", "Nora's study partner is called Mirko."], [
    "He has failed twice.",
    "Mirko has failed twice.",
  ]],
  [["The lawnmower is at the workshop.", "The lawnmower is at the workshop."], [
    "They called yesterday.",
    "The workshop called yesterday.",
  ]],
  [["Petra gave us two hens.", "Petra gave Nora and others two hens."], [
    "They arrive in June.",
    "The hens arrive in June.",
  ]],
  [["Anna said she quit.", "Anna said she quit."]],
  [["The import failed because it ran out of memory.", "The import failed because it ran out of memory."]],
  [["She quit.", null]],
  [["That is our decision.", null]],
  [["It's raining.", null]],
  [["I worked there.", null]],
  [["There are three nodes.", "There are three nodes."]],
];

for (const talk of TALKS) {
  Deno.test(`said in talk: ${talk.map(([said]) => said).join(" ")}`, () => {
    const scene = new Scene(["Nora", "Ben"]);
    for (const [i, [said, expected]] of talk.entries()) {
      const { text, isWhole } = resolveReferences(said, { speaker: "Nora", listener: "Ben", scene });
      assert.equal(isWhole ? text : null, expected);
      scene.add(text, `m${i}`);
    }
  });
}

Deno.test("a name from another turn is borrowed, and the turn is named", () => {
  const scene = new Scene(["Nora", "Ben"]);
  scene.add("Nora's brother Tom lives in Rome.", "m1");
  const { borrowed } = resolveReferences("He likes it.", { speaker: "Nora", listener: "Ben", scene });
  assert.deepEqual(borrowed, ["m1"]);
});

Deno.test("nobody knows whom 'you' means where several listen", () => {
  const talk = { speaker: "Nora", listener: null, scene: new Scene([]) };
  assert.equal(resolveReferences("Your car is red.", talk).isWhole, false);
});
