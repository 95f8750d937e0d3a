/**
 * Words of everyday questions, and the words that the statements which answer them use instead:
 * "Which vehicle do I own?" and "I drive a Volvo", "Do I have children?" and "My daughter is called
 * Emma". The list is written by hand. The lexicon's related words only share a topic; these replace
 * the word itself, so a match of one counts as a match of the word, at a reduced weight. They are
 * looked up in facts and other units, which say a thing once, and not in turns of sessions, where
 * the next turns repeat it: there these words gained on LoCoMo what they lost elsewhere (recall@10
 * 82.4 and 82.5).
 */
import { isStopWord, stemWord } from "../language/words.ts";
import { NARROWER, SAME } from "./everyday_groups.ts";

/**
 * A term that statements use in place of a question's term, and its weight against 1 for that term.
 */
export interface EverydayTerm {
  readonly term: string;
  readonly weight: number;
}

/** Weight of a word with the same meaning. */
const SAME_WORTH = 0.8;
/** Weight of a narrower word, or of one that the statement says instead. */
const NARROWER_WORTH = 0.6;

const NONE: readonly EverydayTerm[] = [];
const EVERYDAY = readGroups();

function readGroups(): ReadonlyMap<string, readonly EverydayTerm[]> {
  const weights = new Map<string, Map<string, number>>();
  const add = (word: string, other: string, worth: number) => {
    const [from, to] = [stemWord(word, "search"), stemWord(other, "search")];
    if (isStopWord(other, "search")) throw new Error(`Cannot use ${other} for ${word}: no index holds it`);
    if (from === to) return;
    const found = weights.get(from) ?? new Map<string, number>();
    if (!found.has(to)) found.set(to, worth);
    weights.set(from, found);
  };
  for (const line of linesOf(SAME)) {
    const words = line.split(" ");
    for (const word of words) for (const other of words) add(word, other, SAME_WORTH);
  }
  for (const line of linesOf(NARROWER)) {
    const [heads, words] = line.split(": ") as [string, string];
    for (const head of heads.split(" ")) for (const word of words.split(" ")) add(head, word, NARROWER_WORTH);
  }
  return new Map(
    [...weights].map(([term, others]) => [term, [...others].map(([term, weight]) => ({ term, weight }))]),
  );
}

function linesOf(text: string): string[] {
  return text.trim().split("\n");
}

/**
 * The terms that statements use in place of a question's term, each with its weight; may be empty.
 */
export function everydayTerms(term: string): readonly EverydayTerm[] {
  return EVERYDAY.get(term) ?? NONE;
}
