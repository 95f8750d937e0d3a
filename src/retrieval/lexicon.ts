/**
 * The lexicon: which terms may stand in an answer in the place of a query's term, because their words mean something like
 * its word. It depends on nothing that is stored: what a workspace holds neither shows in it nor changes it.
 */

import type { LEXICONS } from "../environment.ts";
import { WordVectors } from "./word_vectors.ts";

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
  /** How frequent the term is in the language: 0 for the most frequent one; undefined for one that has no related terms. */
  rankOf(term: string): number | undefined;
}

/** Words that are no nearer than this have nothing to do with each other. */
const COSINE_MIN = 0.35;
/** Related terms of one: about as many as have anything to do with it. A corpus holds some of them. */
const RELATED_MAX = 160;
/** Terms whose related ones are kept in memory, some 10 MB when it is full; then it begins anew. */
const KEPT_TERMS_MAX = 2_048;

class VectorLexicon implements Lexicon {
  readonly name = "vectors";
  readonly #vectors = new WordVectors();
  readonly #kept = new Map<string, readonly Related[]>();

  rankOf(term: string): number | undefined {
    return this.#vectors.rankOf(term);
  }

  related(term: string): readonly Related[] {
    const kept = this.#kept.get(term);
    if (kept !== undefined) return kept;
    const related = this.#vectors.nearest(term, RELATED_MAX, COSINE_MIN)
      .map(({ term, cosine }) => ({ term, weight: (cosine - COSINE_MIN) / (1 - COSINE_MIN) }));
    // What has no vector costs nothing to find again, and anybody can ask for as much of it as they like.
    if (related.length === 0) return related;
    if (this.#kept.size >= KEPT_TERMS_MAX) this.#kept.clear();
    this.#kept.set(term, related);
    return related;
  }
}

const vectors = new VectorLexicon();

/** The lexicons that can be chosen by name. */
export type LexiconName = (typeof LEXICONS)[number];

/** A lexicon by its name; it is unpacked when it is first asked. Nothing for "none". */
export function openLexicon(name: LexiconName): Lexicon | undefined {
  return name === "vectors" ? vectors : undefined;
}
