/**
 * Which links of what is said in conversations are worth a pointer. Most of a conversation is talk: thanks, praise and
 * questions are near each other in words and meaning, and are about no matter. What is told as a fact is about one. Pure.
 */
import { WORDS_WEIGHT } from "../../db/queries/newer_links.ts";
import { isQuestionLike } from "../../language/judgement.ts";
import { splitSentences } from "../../language/sentences.ts";
import { isSocial } from "../../language/standing.ts";
import type { RecallResult } from "../../schema/recall.ts";

/** Two turns are about the same matter if they share so much of rare words and their vectors have such a cosine … */
const WORDS_MIN = 0.2, COSINE_MIN = 0.5;
/** … or if they share so much of rare words that their meaning need not be known, as in most languages. */
const WORDS_SURE = 0.7;
const ASKS = /[?？]["'”’)\]]*$/u;

/** Whether a statement was said in a conversation. */
export function isTalk({ type, citations }: RecallResult): boolean {
  return type === "turn" || citations.some(({ sessionId }) => sessionId !== undefined);
}

/** Whether a link between two statements, of which one was said in a conversation, is likely about one matter. */
export function isClose({ strength, words }: { readonly strength: number; readonly words: number }): boolean {
  return words >= WORDS_SURE || words >= WORDS_MIN && strength - WORDS_WEIGHT * words >= COSINE_MIN;
}

/** Whether a sentence of a text tells something: it is no question and no greeting. */
export function tellsSomething(text: string): boolean {
  return splitSentences(text).some(({ start, end }) => {
    const sentence = text.slice(start, end).trim();
    return !ASKS.test(sentence) && !isQuestionLike(sentence) && !isSocial(sentence);
  });
}
