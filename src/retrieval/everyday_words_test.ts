import assert from "node:assert/strict";
import { everydayTerms } from "./everyday_words.ts";
import { analyseText, MemoryIndex, planQuery, prescore, rank } from "./mod.ts";
import { QUERY_EVERYDAY_MAX } from "./query.ts";
import { stemWord } from "../language/words.ts";

const TURN = 1, FACT = 2;

function planOf(query: string) {
  return planQuery(query, { referenceMs: Date.UTC(2026, 0, 1) });
}

/** The numbers of the texts that a query finds, best first, from 1. */
function search(texts: readonly string[], query: string, kind = FACT): number[] {
  const index = new MemoryIndex();
  texts.forEach((content, i) => {
    const text = analyseText(content);
    const place = kind === TURN ? { group: i + 1, position: 0 } : { group: 0, position: 0 };
    index.add({ doc: i + 1, kind, ...place, text, bits: text.bits });
  });
  const plan = planOf(query);
  const candidates = prescore(plan, index.input(plan));
  return rank(candidates, index.stored(candidates)).map(({ doc }) => doc);
}

Deno.test("a fact is found by a question that asks for it in other words", () => {
  const facts = ["I drive a blue Volvo.", "My daughter is called Emma.", "Tom cannot have gluten.", "The lamp is old."];
  assert.equal(search(facts, "Which vehicle do I own?")[0], 1);
  assert.equal(search(facts, "Do I have children?")[0], 2);
  assert.equal(search(facts, "What food does Tom avoid?")[0], 3);
});

Deno.test("the word itself comes before what stands for it, and a rarer word before a frequent one", () => {
  assert.deepEqual(search(["I drive to work.", "My vehicle is blue."], "Which vehicle do I have?"), [2, 1]);
  const often = Array.from({ length: 20 }, (_, i) => `I drive to town ${i}.`);
  assert.equal(search([...often, "A scooter came to town 7."], "Which vehicle is it?")[0], 21);
});

Deno.test("an everyday word of another one's fact does not hide what is said by the person who is named", () => {
  const index = new MemoryIndex();
  const add = (doc: number, content: string, kind: number, speaker?: string) => {
    const text = analyseText(content);
    const place = kind === TURN ? { group: 1, position: doc, speaker } : { group: 0, position: 0 };
    index.add({ doc, kind, ...place, text, bits: text.bits });
  };
  add(1, "Hello, Nadia here.", TURN, "Nadia");
  add(2, "Tom leads the ops team.", FACT);
  add(3, "Nadia has a bicycle.", FACT);
  const plan = planOf("What is Nadia's role?");
  const candidates = prescore(plan, index.input(plan));
  const found = rank(candidates, index.stored(candidates)).map(({ doc }) => doc);
  assert.ok(found.includes(3), `${found}`);
});

Deno.test("turns of sessions are not found by everyday words, nor do they change what a word is worth there", () => {
  assert.deepEqual(search(["I drive a blue Volvo.", "The lamp is old."], "Which vehicle do I own?", TURN), []);
});

Deno.test("names and the words of a long message have no everyday words", () => {
  const everydayOf = (query: string) => planOf(query).terms.flatMap(({ everyday }) => everyday);
  assert.ok(everydayOf("which pet is it?").length > 3);
  assert.deepEqual(everydayOf("who is Pet?"), []);
  const words = Array.from({ length: QUERY_EVERYDAY_MAX }, (_, i) => `word${i}`).join(" ");
  assert.deepEqual(everydayOf(`pet ${words}`), []);
});

Deno.test("the keys of everyday words are in no other list of the plan", () => {
  const { keys, relatedKeys, everydayKeys } = planOf("Which vehicle does my wife drive to her job?");
  assert.ok(everydayKeys.length > 5);
  const others = new Set([...keys, ...relatedKeys]);
  assert.deepEqual(everydayKeys.filter((key) => others.has(key)), []);
});

Deno.test("words that stand for each other do so both ways, and no word stands for itself", () => {
  const termsOf = (word: string) => everydayTerms(stemWord(word, "search")).map(({ term }) => term);
  assert.ok(termsOf("film").includes("movi") && termsOf("movie").includes("film"));
  for (const word of ["film", "car", "child", "deploy"]) assert.ok(!termsOf(word).includes(stemWord(word, "search")));
});
