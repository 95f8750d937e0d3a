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

/** Three code units as one number, exact below 2^53. */
function gramAt(padded: string, i: number): number {
  return padded.charCodeAt(i) * 0x1_0000_0000 + padded.charCodeAt(i + 1) * 0x1_0000 + padded.charCodeAt(i + 2);
}

/** Compares one word with many by their trigrams, beginnings and ends counted, without an allocation for each. */
class TrigramLikeness {
  readonly #slots = new Map<number, number>();
  readonly #counts: Uint8Array;
  readonly #left: Uint8Array;
  readonly #size: number;

  constructor(word: string) {
    const padded = `^${word}$`;
    this.#size = Math.max(0, padded.length - 2);
    this.#counts = new Uint8Array(this.#size);
    this.#left = new Uint8Array(this.#size);
    for (let i = 0; i < this.#size; i++) {
      const gram = gramAt(padded, i);
      const slot = this.#slots.get(gram) ?? this.#slots.size;
      this.#slots.set(gram, slot);
      this.#counts[slot]++;
    }
  }

  /** Shared trigrams of the two words, twice, over all their trigrams: 1 for the same word, 0 for nothing in common. */
  to(other: string): number {
    const padded = `^${other}$`;
    const size = Math.max(0, padded.length - 2);
    this.#left.set(this.#counts);
    let shared = 0;
    for (let i = 0; i < size; i++) {
      const slot = this.#slots.get(gramAt(padded, i));
      if (slot === undefined || this.#left[slot] === 0) continue;
      this.#left[slot]--;
      shared++;
    }
    return 2 * shared / (this.#size + size);
  }
}

/** Whether two words differ by one letter: another one, one more, one less, or two neighbours exchanged. */
export function differsByOne(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) i++;
  if (a.length > b.length) return isSameFrom(a, i + 1, b, i);
  if (a.length < b.length) return isSameFrom(a, i, b, i + 1);
  return isSameFrom(a, i + 1, b, i + 1) || a[i] === b[i + 1] && a[i + 1] === b[i] && isSameFrom(a, i + 2, b, i + 2);
}

function isSameFrom(a: string, i: number, b: string, j: number): boolean {
  while (i < a.length && j < b.length) if (a[i++] !== b[j++]) return false;
  return i >= a.length && j >= b.length;
}

/**
 * The terms of a vocabulary slice that are spelled nearly like `term`, best first: same first letter and trigram likeness of
 * 0.6 or more, or one letter's difference in a word of four letters or more.
 */
export function nearTerms(term: string, vocabulary: Iterable<string>): Expansion[] {
  const out: Expansion[] = [];
  const trigrams = new TrigramLikeness(term);
  for (const other of vocabulary) {
    if (other === term || other[0] !== term[0] || other.length < 3 || Math.abs(other.length - term.length) > 3) {
      continue;
    }
    const likeness = term.length >= 4 && differsByOne(term, other)
      ? Math.max(0.75, trigrams.to(other))
      : trigrams.to(other);
    if (likeness >= DICE_MIN) out.push({ term: other, weight: Math.round(NEAR_WEIGHT * likeness * 100) / 100 });
  }
  return out.sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1)).slice(0, NEAR_TERMS_MAX);
}
