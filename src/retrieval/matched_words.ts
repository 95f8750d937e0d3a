/** Finds in a text the words by which it matches a query: people are shown these, not the query's words or their stems. */
import { normaliseText, splitWords } from "../language/words.ts";
import type { QueryTerm } from "./query_terms.ts";
import { analyseText } from "./text.ts";

/** How a text matches one term of a query. */
export interface MatchedTerm {
  /** The query's word. */
  readonly asked: string;
  /** The text's words of the same stem or another spelling, as they stand there, each once. */
  readonly same: readonly string[];
}

/** Finds the words of a text that match the terms, in the order of the terms. */
export function findMatchedWords(text: string, terms: readonly QueryTerm[]): MatchedTerm[] {
  const words = splitWords(normaliseText(text)).map(({ raw }) => ({ raw, terms: new Set(analyseText(raw).terms) }));
  const wordsOf = (wanted: readonly string[]) => [
    ...new Map(
      words.filter((word) => wanted.some((term) => word.terms.has(term))).map(({ raw }) => [raw.toLowerCase(), raw]),
    ).values(),
  ];
  return terms.map(({ term, word, expansions }) => ({
    asked: word,
    same: wordsOf([term, ...expansions.map((one) => one.term)]),
  }));
}
