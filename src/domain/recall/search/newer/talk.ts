/**
 * Which links of what is said in conversations are worth a pointer. Most of a conversation is talk: thanks, praise and
 * questions are near each other in words and meaning, and are about no matter. What is told as a fact is about one. Pure.
 */
import { WORDS_WEIGHT } from "../../../../db/queries/newer_links.ts";
import { isQuestionLike } from "../../../../language/judgement.ts";
import { splitSentences } from "../../../../language/sentences.ts";
import { isSocial } from "../../../../language/self_contained.ts";
import type { RecallResult } from "../../../../schema/recall.ts";

/** The share of rare words that two statements have in common at least. */
const WORDS_MIN = 0.2;
/**
 * The least sum of that share and the cosine of the two vectors; `SUM_MIN_LIKELY` applies where the older statement scores
 * `LIKELY` or more.
 */
const SUM_MIN = 1.2, SUM_MIN_LIKELY = 0.95, LIKELY = 0.5;
const ASKS = /[?？]["'”’)\]]*$/u;

/** Whether a statement was said in a conversation. */
export function isTalk({ type, citations }: RecallResult): boolean {
  return type === "turn" || citations.some(({ sessionId }) => sessionId !== undefined);
}

/**
 * Whether a link between two statements, of which one was said in a conversation, is likely about one matter.
 * @param score that of the older one as a result
 */
export function isClose(
  { strength, words }: { readonly strength: number; readonly words: number },
  score: number,
): boolean {
  const cosine = strength - WORDS_WEIGHT * words;
  return words >= WORDS_MIN && words + cosine >= (score >= LIKELY ? SUM_MIN_LIKELY : SUM_MIN);
}

/** Whether a sentence of a text tells something: it is no question and no greeting. */
export function tellsSomething(text: string): boolean {
  return splitSentences(text).some(({ start, end }) => {
    const sentence = text.slice(start, end).trim();
    return !ASKS.test(sentence) && !isQuestionLike(sentence) && !isSocial(sentence);
  });
}
