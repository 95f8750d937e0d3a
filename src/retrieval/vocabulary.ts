/**
 * The terms of an index in memory, laid out for near spellings: by first letter and length, with each term's letters in
 * a typed array beside it, so that most terms are passed over without a look at them.
 */

import { LENGTH_DIFFERENCE_MAX, lettersOf, NearTerms } from "./near_terms.ts";
import type { Expansion } from "./query.ts";

interface Slice {
  readonly terms: string[];
  /** See `lettersOf`. */
  letters: Int32Array;
}

export class Vocabulary {
  readonly #known = new Set<string>();
  readonly #slices = new Map<string, Slice>();

  /** Adds a term; one that is there already is left as it is. */
  add(term: string): void {
    if (this.#known.has(term)) return;
    this.#known.add(term);
    const key = sliceKey(term, term.length);
    const slice = this.#slices.get(key) ?? { terms: [], letters: new Int32Array(16) };
    this.#slices.set(key, slice);
    if (slice.terms.length === slice.letters.length) {
      const letters = new Int32Array(2 * slice.letters.length);
      letters.set(slice.letters);
      slice.letters = letters;
    }
    slice.letters[slice.terms.length] = lettersOf(term);
    slice.terms.push(term);
  }

  /** As `nearTerms` over all terms. */
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

function sliceKey(term: string, length: number): string {
  return `${term[0]}${length}`;
}
