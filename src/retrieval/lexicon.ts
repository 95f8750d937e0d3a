/**
 * The lexicon: which terms may stand in an answer in the place of a query's term, because their words mean something like
 * its word. It depends on nothing that is stored: what a workspace holds neither shows in it nor changes it.
 */

import type { LEXICONS } from "../environment.ts";
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
  /** How frequent the term is in the language: 0 for the most frequent one; undefined for one that has no related terms. */
  rankOf(term: string): number | undefined;
}

/** Words that are no nearer than this have nothing to do with each other. */
const COSINE_MIN = 0.35;
/** Related terms of one: about as many as have anything to do with it. A corpus holds some of them. */
const RELATED_MAX = 160;
/** Terms whose neighbours are kept in memory, some 10 MB when it is full; then it begins anew. */
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
    // What has no vector is found again at once, and there is no end of such words.
    if (found.ids.length === 0) return found;
    if (this.#kept.size >= KEPT_TERMS_MAX) this.#kept.clear();
    this.#kept.set(term, found);
    return found;
  }
}

const vectors = new VectorLexicon();

/** The lexicons that can be chosen by name. */
export type LexiconName = (typeof LEXICONS)[number];

/** A lexicon by its name; it is unpacked when it is first asked. Nothing for "none". */
export function openLexicon(name: LexiconName): Lexicon | undefined {
  return name === "vectors" ? vectors : undefined;
}
