/** Whether a shorter wording of a rule still says what the rule says. Pure. */
import { listContentStems } from "./tokenise.ts";

const WORDING_CHARS_MAX = 400;
/** Share of the wording's content words that the lesson has too. */
const COMMON_MIN = 0.6;
const NUMBER = /\p{N}+/gu;
const DENIAL = /\b(?:no|not|never|none|without|avoid|don't|do not|cannot|can't|won't|mustn't)\b/gi;

/** The wording may not be longer, must have the same numbers and negations, and mostly the lesson's own words. */
export function keepsMeaning(lesson: string, wording: string): boolean {
  if (wording === "" || wording.length > WORDING_CHARS_MAX || wording.length > lesson.length) return false;
  if (!wording.isWellFormed() || wording.includes("\0")) return false;
  const numbers = (text: string) => [...new Set(text.match(NUMBER) ?? [])].sort().join(" ");
  const denials = (text: string) => (text.match(DENIAL) ?? []).length;
  if (numbers(lesson) !== numbers(wording) || denials(lesson) !== denials(wording)) return false;
  const own = new Set(listContentStems(lesson, "prose"));
  const stems = listContentStems(wording, "prose");
  return stems.length > 0 && stems.filter((stem) => own.has(stem)).length >= COMMON_MIN * stems.length;
}
