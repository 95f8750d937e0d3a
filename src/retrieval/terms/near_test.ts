import assert from "node:assert/strict";
import { analyseText, type Expansion, MemoryIndex, Vocabulary } from "../mod.ts";
import { differsByOne, nearTerms } from "./near.ts";

/** The definition, word by word and without a short cut. */
function nearByDefinition(term: string, words: readonly string[]): Expansion[] {
  const grams = (word: string) => Array.from(word, (_, i) => `^${word}$`.slice(i, i + 3));
  const likeness = (a: string, b: string) => {
    const left = grams(b);
    const shared = grams(a).filter((gram) => left.includes(gram) && delete left[left.indexOf(gram)]).length;
    return 2 * shared / (a.length + b.length);
  };
  return words.filter((word) =>
    word !== term && word[0] === term[0] && word.length >= 3 && Math.abs(word.length - term.length) <= 3
  ).map((word) => {
    const dice = likeness(term, word);
    return { term: word, dice: term.length >= 4 && differsByOne(term, word) ? Math.max(0.75, dice) : dice };
  }).filter(({ dice }) => dice >= 0.6)
    .map(({ term, dice }) => ({ term, weight: Math.round(80 * dice) / 100 }))
    .sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1)).slice(0, 4);
}

/** Words and what they become by up to four changes of a letter; some letters share the lowest bits of their codes. */
function makeWords(count: number): string[] {
  let state = 7;
  const next = (below: number) => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0, (state >>> 8) % below);
  const letters = "abcdefghÁéя1!";
  const letter = () => letters[next(letters.length)];
  return Array.from({ length: count }, () => {
    const word = Array.from({ length: 2 + next(10) }, letter);
    return Array.from({ length: 20 }, () => {
      const other = [...word];
      for (let changes = next(5); changes > 0; changes--) {
        other.splice(next(other.length), next(2), ...next(3) > 0 ? [letter()] : []);
      }
      return other.join("");
    });
  }).flat().filter((word) => word !== "");
}

Deno.test("near spellings are those of the definition, of a list and of a vocabulary in memory", () => {
  const words = [...new Set(makeWords(40))];
  const vocabulary = new Vocabulary();
  for (const word of words) vocabulary.add(word);
  let found = 0;
  for (const term of [...words.filter((_, i) => i % 2 === 0), "kubernetes", "zz"]) {
    const expected = nearByDefinition(term, words);
    assert.deepEqual(nearTerms(term, words), expected, term);
    assert.deepEqual(vocabulary.near(term), expected, term);
    found += expected.length;
  }
  assert.ok(found > 300, "the words are near enough for the comparison to say something");
});

Deno.test("a term that is added twice is found once", () => {
  const vocabulary = new Vocabulary();
  for (const term of ["postgres", "postgres", "postgrey"]) vocabulary.add(term);
  assert.deepEqual(vocabulary.near("postgrex").map((near) => near.term), ["postgres", "postgrey"]);
});

Deno.test("what is left of a vocabulary after words have gone is found as before, and nothing else", () => {
  const words = [...new Set(makeWords(40))];
  const vocabulary = new Vocabulary();
  for (const word of words) vocabulary.add(word);
  for (const [i, word] of words.entries()) if (i % 3 !== 0) vocabulary.remove(word);
  vocabulary.remove("never added");
  const left = words.filter((_, i) => i % 3 === 0);
  assert.equal(vocabulary.size, left.length);
  for (const term of words) assert.deepEqual(vocabulary.near(term), nearByDefinition(term, left), term);
  for (const word of left) vocabulary.remove(word);
  assert.equal(vocabulary.size, 0);
});

Deno.test("an index forgets a word with the last document that holds it, however often texts come and go", () => {
  const index = new MemoryIndex();
  const put = (doc: number, kind: number, words: string) => {
    const text = analyseText(words);
    const at = { group: doc % 2, position: doc, occurredAt: doc * 1_000, speaker: "Jon" };
    index.add({ doc, kind, ...(kind === 1 ? at : { group: 0, position: 0 }), text, bits: text.bits });
  };
  put(1, 1, "the zanzibar codeword");
  put(2, 2, "the zanzibar harbour");
  const before = { terms: index.vocabulary.size, bytes: index.bytes };
  for (let round = 0; round < 200; round++) {
    const doc = 3 + round;
    put(doc, 1 + round % 2, `passing zqword${round}x in zanzibar`);
    assert.deepEqual(index.vocabulary.near(`zqword${round}`).map((near) => near.term), [`zqword${round}x`]);
    index.remove(doc);
    assert.deepEqual(index.vocabulary.near(`zqword${round}`), []);
  }
  assert.deepEqual({ terms: index.vocabulary.size, bytes: index.bytes }, before);
  index.remove(1);
  assert.deepEqual(index.vocabulary.near("zanzibr").map((near) => near.term), ["zanzibar"], "another text holds it");
  assert.deepEqual(index.vocabulary.near("codewrd"), []);
  index.remove(2);
  assert.equal(index.vocabulary.size, 0);
});
