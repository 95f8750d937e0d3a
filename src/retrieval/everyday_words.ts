/**
 * What everyday questions ask with, and what the statements that answer them say instead: "Which vehicle do I own?" and "I
 * drive a Volvo", "Do I have children?" and "My daughter is called Emma". Written by hand. The related words of the vectors
 * say what is of the same matter; these stand for the word itself, so a match of one counts as a match of the word, at a part
 * of its worth. They are looked for in facts and other units, which say a thing once, and not in turns of sessions: there
 * the next turns say it, too, and what these words brought on LoCoMo they took away elsewhere (recall@10 82.4 and 82.5).
 */
import { isStopWord, stemWord } from "../language/words.ts";
import { NARROWER, SAME } from "./everyday_groups.ts";

/** What statements say in place of a question's term, and what it is worth against 1 for the term. */
export interface EverydayTerm {
  readonly term: string;
  readonly weight: number;
}

/** Words that stand for each other. */
const SAME_WORTH = 0.8;
/** A narrower word, or what the statement says instead. */
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

/** What statements say in place of a question's term, and what each is worth against 1 for the term. */
export function everydayTerms(term: string): readonly EverydayTerm[] {
  return EVERYDAY.get(term) ?? NONE;
}
