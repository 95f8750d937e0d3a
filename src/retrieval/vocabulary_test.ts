import assert from "node:assert/strict";
import { type Expansion, Vocabulary } from "./mod.ts";
import { differsByOne, nearTerms } from "./near_terms.ts";

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
