/**
 * The lexicon: terms that may replace a query's term in an answer, because they are close in
 * meaning. It does not depend on stored data: the contents of a workspace neither show in it nor
 * change it.
 */

import type { LEXICONS } from "../schema/memory_variables.ts";
import { type Neighbours, WordVectors } from "./word_vectors.ts";

/** A term that may stand in for another. */
export interface Related {
  readonly term: string;
  /** What a match is worth in the proximity kernel, against 1 for the term itself. */
  readonly weight: number;
}

/** Source of related terms. */
export interface Lexicon {
  readonly name: LexiconName;
  /** Related terms, best first. */
  related(term: string): readonly Related[];
  /**
   * Rank of the term by its frequency in the language, 0 for the most frequent; undefined if it has
   * no related terms.
   */
  rankOf(term: string): number | undefined;
}

/** Least cosine of two related words; below it they have nothing in common. */
const COSINE_MIN = 0.35;
/**
 * Most related terms of one term: roughly all that are related at all. A corpus holds some of them.
 */
const RELATED_MAX = 160;
/** Cached terms, some 10 MB with their neighbours. The cache is emptied when it is full. */
const KEPT_TERMS_MAX = 8_192;

class VectorLexicon implements Lexicon {
  readonly name = "vectors";
  readonly #vectors = new WordVectors();
  readonly #kept = new Map<string, Neighbours>();

  rankOf(term: string): number | undefined {
    return this.#vectors.idOf(term);
  }

  related(term: string): Related[] {
    const { ids, cosines } = this.#neighboursOf(term);
    const out: Related[] = [];
    for (let i = 0; i < ids.length; i++) {
      out.push({ term: this.#vectors.termOf(ids[i]), weight: (cosines[i] - COSINE_MIN) / (1 - COSINE_MIN) });
    }
    return out;
  }

  #neighboursOf(term: string): Neighbours {
    const kept = this.#kept.get(term);
    if (kept !== undefined) return kept;
    const found = this.#vectors.nearest(term, RELATED_MAX, COSINE_MIN);
    // A term without a vector is cheap to look up again, and there is no limit to such terms.
    if (found.ids.length === 0) return found;
    if (this.#kept.size >= KEPT_TERMS_MAX) this.#kept.clear();
    this.#kept.set(term, found);
    return found;
  }
}

const vectors = new VectorLexicon();

/** The lexicons that can be chosen by name. */
export type LexiconName = (typeof LEXICONS)[number];

/** Opens a lexicon by its name; undefined for "none". It is unpacked on first use. */
export function openLexicon(name: LexiconName): Lexicon | undefined {
  return name === "vectors" ? vectors : undefined;
}
