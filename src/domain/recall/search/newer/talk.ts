/**
 * What of conversations may be pointed to. Most of a conversation is talk: thanks, praise and questions are near each other
 * in words and meaning, and are about no matter. What is told as a fact is about one. Pure.
 */
import { isQuestionLike } from "../../../../language/judgement.ts";
import { splitSentences } from "../../../../language/sentences.ts";
import { isSocial } from "../../../../language/self_contained.ts";
import type { RecallResult } from "../../../../schema/recall.ts";

const ASKS = /[?？]["'”’)\]]*$/u;

/** Whether a statement was said in a conversation. */
export function isTalk({ type, citations }: RecallResult): boolean {
  return type === "turn" || citations.some(({ sessionId }) => sessionId !== undefined);
}

/** Whether a sentence of a text tells something: it is no question and no greeting. */
export function tellsSomething(text: string): boolean {
  return splitSentences(text).some(({ start, end }) => {
    const sentence = text.slice(start, end).trim();
    return !ASKS.test(sentence) && !isQuestionLike(sentence) && !isSocial(sentence);
  });
}
