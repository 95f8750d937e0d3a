/** The part of a newer statement that a pointer shows: a long turn talks of other matters, too. Pure. */
import { splitSentences } from "../../../../language/sentences.ts";
import { analyseText, wordTerms } from "../../../../retrieval/mod.ts";

/** Characters of a text that is shown whole, and of an excerpt. */
export const EXCERPT_MAX = 400;

/** The newer text, or its part around the sentence that shares most words with the older one. */
export function excerptOf(newer: string, older: string): string {
  if (newer.length <= EXCERPT_MAX) return newer;
  const words = new Set(wordsOf(older));
  const sentences = splitSentences(newer);
  let best = 0, most = -1;
  for (const [place, { start, end }] of sentences.entries()) {
    const shared = new Set(wordsOf(newer.slice(start, end)).filter((word) => words.has(word))).size;
    if (shared > most) [best, most] = [place, shared];
  }
  // What is said about a matter often begins one sentence before its name, and goes on behind it.
  let from = Math.max(0, best - 1), to = best;
  const sizeOf = (first: number, last: number) => sentences[last]!.end - sentences[first]!.start;
  if (sentences.length === 0) return cut(newer);
  if (sizeOf(from, to) > EXCERPT_MAX) from = best;
  while (to + 1 < sentences.length && sizeOf(from, to + 1) <= EXCERPT_MAX) to++;
  const part = newer.slice(sentences[from]!.start, sentences[to]!.end).trim();
  return `${from > 0 ? "… " : ""}${cut(part)}${to + 1 < sentences.length ? " …" : ""}`;
}

function cut(text: string): string {
  return text.length <= EXCERPT_MAX ? text : `${text.slice(0, EXCERPT_MAX).toWellFormed().trimEnd()}…`;
}

function wordsOf(text: string): string[] {
  return wordTerms(analyseText(text).terms);
}
