/**
 * Near spellings: what a query term that no document holds may have meant.
 */

import type { Expansion, QueryPlan } from "./query.ts";
import { PARTICIPANT_PREFIX } from "./text.ts";
import type { PostingsList } from "./types.ts";

/** Substitutes kept for an unknown term. */
export const NEAR_TERMS_MAX = 4;
const DICE_MIN = 0.6;
/** What a match of a substitute is worth, times its likeness. */
const NEAR_WEIGHT = 0.8;

/**
 * Terms of a plan that found nothing, neither themselves nor by an abbreviation nor as a participant: for these the caller reads
 * the vocabulary that begins with the same letter, and asks `nearTerms`.
 */
export function unknownTerms(plan: QueryPlan, lists: ReadonlyMap<string, readonly PostingsList[]>): string[] {
  const found = (key: string) => (lists.get(key)?.length ?? 0) > 0;
  return plan.terms.filter((t) =>
    t.term.length >= 4 && !found(t.term) && !found(PARTICIPANT_PREFIX + t.word) &&
    !t.expansions.some((e) => found(e.term))
  ).map((t) => t.term);
}

function trigrams(word: string): string[] {
  const padded = `^${word}$`;
  const out: string[] = [];
  for (let i = 0; i + 3 <= padded.length; i++) out.push(padded.slice(i, i + 3));
  return out;
}

/** Shared trigrams of two words, twice, over all their trigrams: 1 for the same word, 0 for nothing in common. */
export function diceOfTrigrams(a: string, b: string): number {
  const left = trigrams(a), right = trigrams(b);
  const rest = [...right];
  let shared = 0;
  for (const gram of left) {
    const at = rest.indexOf(gram);
    if (at < 0) continue;
    shared++;
    rest.splice(at, 1);
  }
  return 2 * shared / (left.length + right.length);
}

/** Whether two words differ by one letter: another one, one more, one less, or two neighbours exchanged. */
export function differsByOne(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) i++;
  if (a.length === b.length) {
    return a.slice(i + 1) === b.slice(i + 1) ||
      a[i] === b[i + 1] && a[i + 1] === b[i] && a.slice(i + 2) === b.slice(i + 2);
  }
  return a.length > b.length ? a.slice(i + 1) === b.slice(i) : a.slice(i) === b.slice(i + 1);
}

/**
 * The terms of a vocabulary slice that are spelled nearly like `term`, best first: same first letter and trigram likeness of
 * 0.6 or more, or one letter's difference in a word of four letters or more.
 */
export function nearTerms(term: string, vocabulary: Iterable<string>): Expansion[] {
  const out: Expansion[] = [];
  for (const other of vocabulary) {
    if (other === term || other[0] !== term[0] || other.length < 3 || Math.abs(other.length - term.length) > 3) {
      continue;
    }
    const likeness = term.length >= 4 && differsByOne(term, other)
      ? Math.max(0.75, diceOfTrigrams(term, other))
      : diceOfTrigrams(term, other);
    if (likeness >= DICE_MIN) out.push({ term: other, weight: Math.round(NEAR_WEIGHT * likeness * 100) / 100 });
  }
  return out.sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1)).slice(0, NEAR_TERMS_MAX);
}
