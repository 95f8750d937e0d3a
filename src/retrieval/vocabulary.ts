/**
 * The terms of an index in memory, laid out to find near spellings: by first letter and length,
 * with each term's letters as bits in a typed array, so that most terms are ruled out without
 * reading them.
 *
 * `MemoryIndex` removes a term with the last document that has it.
 */

import { LENGTH_DIFFERENCE_MAX, lettersOf, NearTerms } from "./near_terms.ts";
import type { Expansion } from "./query_terms.ts";

interface Slice {
  readonly terms: string[];
  /** See `lettersOf`. */
  letters: Int32Array;
}

const SLICE_TERMS_MIN = 16;

export class Vocabulary {
  /** The position of each term in its slice. */
  readonly #places = new Map<string, number>();
  readonly #slices = new Map<string, Slice>();

  /** How many terms it holds. */
  get size(): number {
    return this.#places.size;
  }

  has(term: string): boolean {
    return this.#places.has(term);
  }

  /** Adds a term unless it is there already. */
  add(term: string): void {
    if (this.#places.has(term)) return;
    const key = sliceKey(term, term.length);
    const slice = this.#slices.get(key) ?? { terms: [], letters: new Int32Array(SLICE_TERMS_MIN) };
    this.#slices.set(key, slice);
    if (slice.terms.length === slice.letters.length) resize(slice, 2 * slice.letters.length);
    slice.letters[slice.terms.length] = lettersOf(term);
    this.#places.set(term, slice.terms.length);
    slice.terms.push(term);
  }

  /** Removes a term if it is there. The last term of its slice takes its place. */
  remove(term: string): void {
    const place = this.#places.get(term);
    if (place === undefined) return;
    this.#places.delete(term);
    const key = sliceKey(term, term.length);
    const slice = this.#slices.get(key)!;
    const last = slice.terms.pop()!;
    if (last !== term) {
      slice.terms[place] = last;
      slice.letters[place] = slice.letters[slice.terms.length];
      this.#places.set(last, place);
    }
    const { terms: { length }, letters } = slice;
    if (length === 0) this.#slices.delete(key);
    else if (letters.length > SLICE_TERMS_MIN && length <= letters.length / 4) resize(slice, letters.length / 2);
  }

  /** Like `nearTerms`, over all terms. */
  near(term: string): Expansion[] {
    const near = new NearTerms(term);
    const shortest = Math.max(1, term.length - LENGTH_DIFFERENCE_MAX);
    for (let length = shortest; length <= term.length + LENGTH_DIFFERENCE_MAX; length++) {
      const slice = this.#slices.get(sliceKey(term, length));
      if (slice === undefined) continue;
      const { terms, letters } = slice;
      for (let i = 0; i < terms.length; i++) if (near.mayBeNear(letters[i], length)) near.offer(terms[i]);
    }
    return near.best();
  }
}

function resize(slice: Slice, length: number): void {
  const letters = new Int32Array(length);
  letters.set(slice.letters.subarray(0, Math.min(length, slice.letters.length)));
  slice.letters = letters;
}

function sliceKey(term: string, length: number): string {
  return `${term[0]}${length}`;
}
