/** Finds the speaker's own clauses in a sentence that is not kept as a whole because of its other clauses. Pure. */
import { isFramed, takesBack } from "./claims/mod.ts";
import type { Span } from "./sentences.ts";

/** Words that make a clause depend on another one, so that it does not hold by itself. */
const DEPENDS =
  /\b(?:if|unless|whether|suppose|imagine|wish|as if|would have|could have|should have|as though|except|rather than|in case|so that|before|until|when|whenever|while)\b/iu;
const JOINT =
  /(?:[,;\u2013\u2014-]|\.\.\.)? (?:(?:and |but )?(?:that's|it's|this is) because|so|and|but|because|since|as|now that)(?= (?:i|i'm|i've|we|we're|we've|my|our) )|,? (?:and|but|so|which|because)(?= (?:everybody|everyone|people|they|he|she|it|it's|that|there) )|[,;\u2013\u2014](?= (?:i|i'm|i've|we|we're|we've|my|our) )|[,;](?= (?:and |but |so )?(?:by the way|thanks to your?|as you|which|who)\b)/giu;
const OWN = /^(?:i|i'm|i've|we|we're|we've|my|our|the \p{L}+est)\b/iu;
/** Words that may mean what another clause names. */
const POINTS = /\b(?:it|its|he|him|his|she|her|hers|they|them|their|theirs|this|that|these|those|there|one|ones)\b/iu;
const CLAUSES_MAX = 5;

/**
 * The speaker's own clauses in order; none if the sentence has only one clause, one of them depends on another, the
 * sentence is a quotation or a draft, or the text after a clause may take it back.
 */
export function ownClauses(sentence: string): Span[] {
  if (sentence.includes("?") || DEPENDS.test(sentence) || isFramed(sentence)) return [];
  const joints = [...sentence.matchAll(JOINT)];
  if (joints.length === 0 || joints.length > CLAUSES_MAX) return [];
  const spans: Span[] = [];
  let start = 0;
  for (const { index, 0: joint } of [...joints, { index: sentence.length, 0: "" }]) {
    const clause = sentence.slice(start, index);
    if (clause.length >= 8 && OWN.test(clause) && !POINTS.test(clause) && !takesBack(sentence.slice(index))) {
      spans.push({ start, end: index });
    }
    start = index + joint.length;
    while (sentence[start] === " ") start++;
  }
  return spans;
}
