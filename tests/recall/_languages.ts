/** The development set of questions in other languages than English (`tests/data/languages/`), and a search over it. */
import {
  analyseText,
  cutResults,
  estimateRelevance,
  type Expansion,
  MemoryIndex,
  planQuery,
  prescore,
  rank,
  unknownTerms,
} from "../../src/retrieval/mod.ts";

/** Languages; each has a file with pairs of a fact and a question about it. */
export const LANGUAGES = [
  "arabic",
  "chinese",
  "french",
  "german",
  "italian",
  "japanese",
  "korean",
  "portuguese",
  "russian",
  "spanish",
  "vietnamese",
] as const;

export type LanguageName = (typeof LANGUAGES)[number];

export type Part = "tune" | "held" | "unseen";

export interface Pair {
  readonly fact: string;
  readonly question: string;
  /** One to three words of it, which show little of their language. */
  readonly short: string;
  /** See the README of the data: the rules were tuned on `tune`, and `unseen` was written when they were done. */
  readonly part: Part;
}

export async function readPairs(language: LanguageName): Promise<Pair[]> {
  const file = new URL(`../data/languages/${language}.json`, import.meta.url);
  const pairs: [string, string, string][] = JSON.parse(await Deno.readTextFile(file));
  return pairs.map(([fact, question, short], i) => ({ fact, question, short, part: partOf(i) }));
}

/** The number of pairs of the development set; the pairs after them are unseen. */
const DEVELOPED = 20;

function partOf(place: number): Part {
  if (place >= DEVELOPED) return "unseen";
  return place % 2 === 0 ? "tune" : "held";
}

const FACT = 1;

/** An index over statements; each has its place from 1 on as its number. */
export function indexStatements(statements: readonly string[]): MemoryIndex {
  const index = new MemoryIndex();
  statements.forEach((statement, i) => {
    const text = analyseText(statement);
    index.add({ doc: i + 1, kind: FACT, group: 0, position: 0, text, bits: text.bits });
  });
  return index;
}

/**
 * The numbers of the statements that recall returns, best first.
 * @param near whether a word that no statement holds is replaced by a near spelling. In a memory that contains every
 *   form of a word, none is.
 */
export function search(index: MemoryIndex, query: string, near = false): number[] {
  const plan = planQuery(query, { referenceMs: Date.UTC(2026, 0, 1) });
  const input = index.input(plan);
  const substitutes = new Map<string, Expansion[]>(
    near ? unknownTerms(plan, input.lists).map((term) => [term, index.vocabulary.near(term)]) : [],
  );
  const keys = [
    ...plan.keys,
    ...[...substitutes.values()].flat().map((near) => near.term),
  ];
  const candidates = prescore(plan, { ...input, lists: index.lists(keys), substitutes });
  const ranked = rank(candidates, index.stored(candidates));
  const kept = cutResults(candidates, ranked, estimateRelevance(candidates, ranked), 20);
  return kept.map((place) => ranked[place].doc);
}
