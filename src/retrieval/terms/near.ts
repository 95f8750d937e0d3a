/** Near spellings: terms that may be meant by a query term which no document holds. */
import { countBits } from "./bits.ts";
import type { Expansion } from "./stems.ts";

/** Most substitutes for an unknown term. */
export const NEAR_TERMS_MAX = 4;
const DICE_MIN = 0.6;
/** Weight of a match of a substitute, before it is multiplied by the likeness. */
const NEAR_WEIGHT = 0.8;

/**
 * Maps a word to bits, one for the lowest five bits of each letter's code. If a letter's bit is not
 * set, the word lacks the letter.
 */
function lettersOf(word: string): number {
  let letters = 0;
  for (let i = 0; i < word.length; i++) letters |= 1 << (word.charCodeAt(i) & 31);
  return letters;
}

/**
 * The trigram around a letter as one number, exact below 2^53. The beginning and the end of the
 * word count as letters.
 */
function gramAt(word: string, i: number): number {
  const before = i === 0 ? BEGINNING : word.charCodeAt(i - 1),
    after = i + 1 < word.length ? word.charCodeAt(i + 1) : END;
  return before * 0x1_0000_0000 + word.charCodeAt(i) * 0x1_0000 + after;
}
const BEGINNING = 0x5e, END = 0x24;

/**
 * Compares one word with many by their trigrams, including those at the beginning and end, without
 * an allocation for each.
 */
class TrigramLikeness {
  readonly #grams: Float64Array;
  readonly #taken: Uint8Array;

  constructor(word: string) {
    this.#grams = new Float64Array(word.length);
    this.#taken = new Uint8Array(word.length);
    for (let i = 0; i < word.length; i++) this.#grams[i] = gramAt(word, i);
  }

  /** The Dice coefficient of the two words' trigrams: 1 for the same word, 0 for no trigram in common. */
  to(other: string): number {
    const grams = this.#grams, taken = this.#taken;
    taken.fill(0);
    let shared = 0;
    for (let i = 0; i < other.length; i++) {
      const gram = gramAt(other, i);
      // Words are short, so a linear scan is faster than a map whose keys are not small integers.
      for (let j = 0; j < grams.length; j++) {
        if (grams[j] !== gram || taken[j] === 1) continue;
        taken[j] = 1;
        shared++;
        break;
      }
    }
    return 2 * shared / (grams.length + other.length);
  }
}

/**
 * Whether two words differ by one letter: replaced, added, left out, or swapped with its neighbour.
 */
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

/** The greatest difference in length between a word and a near spelling of it. */
const LENGTH_DIFFERENCE_MAX = 3;
const LENGTH_MIN = 3;

/**
 * Finds near spellings of one term among the words offered to it: same first letter and a trigram
 * likeness of 0.6 or more, or one letter's difference in words of four letters or more.
 */
class NearTerms {
  readonly #term: string;
  readonly #letters: number;
  readonly #trigrams: TrigramLikeness;
  readonly #found: Expansion[] = [];

  constructor(term: string) {
    this.#term = term;
    this.#letters = lettersOf(term);
    this.#trigrams = new TrigramLikeness(term);
  }

  /**
   * Whether a word with the same first letter may be near, judged by its letters and length alone.
   * Take n letters that only one of the words has, none of them its first: at least n + 1 of its
   * trigrams contain one of them, and the other word lacks all of these. A word has as many
   * trigrams as letters.
   */
  #mayBeNear(letters: number, length: number): boolean {
    const missing = countBits(this.#letters & ~letters), added = countBits(letters & ~this.#letters);
    if (missing <= 1 && added <= 1) return true;
    const own = this.#term.length;
    const shared = Math.min(own - (missing && missing + 1), length - (added && added + 1));
    return 2 * shared / (own + length) >= DICE_MIN;
  }

  offer(other: string): void {
    const term = this.#term;
    if (other === term || other[0] !== term[0] || other.length < LENGTH_MIN) return;
    if (Math.abs(other.length - term.length) > LENGTH_DIFFERENCE_MAX) return;
    if (!this.#mayBeNear(lettersOf(other), other.length)) return;
    const likeness = term.length >= 4 && differsByOne(term, other)
      ? Math.max(0.75, this.#trigrams.to(other))
      : this.#trigrams.to(other);
    if (likeness >= DICE_MIN) this.#found.push({ term: other, weight: Math.round(NEAR_WEIGHT * likeness * 100) / 100 });
  }

  /** The nearest of the offered words, best first. */
  best(): Expansion[] {
    return this.#found.sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1)).slice(0, NEAR_TERMS_MAX);
  }
}

/** The terms of a vocabulary slice that are near spellings of `term`, best first. */
export function nearTerms(term: string, vocabulary: Iterable<string>): Expansion[] {
  const near = new NearTerms(term);
  for (const other of vocabulary) near.offer(other);
  return near.best();
}

/** The terms of an index in memory, by first letter and length, to find near spellings. */
export class Vocabulary {
  readonly #slices = new Map<string, Set<string>>();
  #size = 0;

  /** How many terms it holds. */
  get size(): number {
    return this.#size;
  }

  /** Adds a term unless it is there already. */
  add(term: string): void {
    const key = sliceKey(term, term.length), slice = this.#slices.get(key) ?? new Set();
    if (slice.size === 0) this.#slices.set(key, slice);
    if (!slice.has(term)) this.#size++;
    slice.add(term);
  }

  /** Removes a term if it is there. */
  remove(term: string): void {
    const key = sliceKey(term, term.length), slice = this.#slices.get(key);
    if (slice?.delete(term)) this.#size--;
    if (slice?.size === 0) this.#slices.delete(key);
  }

  /** Like `nearTerms`, over all terms. */
  near(term: string): Expansion[] {
    const near = new NearTerms(term);
    const shortest = Math.max(1, term.length - LENGTH_DIFFERENCE_MAX);
    for (let length = shortest; length <= term.length + LENGTH_DIFFERENCE_MAX; length++) {
      for (const other of this.#slices.get(sliceKey(term, length)) ?? []) near.offer(other);
    }
    return near.best();
  }
}

function sliceKey(term: string, length: number): string {
  return `${term[0]}${length}`;
}
