/**
 * Vectors of words: which terms of the index mean something like another, by the company that their words keep in a large
 * body of text.
 *
 * The table is made by `scripts/gen/word_vectors.ts` and carried in the program. Its form, after gzip and base64: a line of
 * JSON (`source`, `licence`, `dimension`), a line with the stems, the most frequent first, then for each of them a row of
 * `dimension` signed bytes. The length of a row says nothing.
 */

import { gunzipSync } from "node:zlib";
import packed from "../gen/word_vectors.gz.b64.txt" with { type: "text" };

/** A term that is near another, and the cosine of the two. */
export interface Neighbour {
  readonly term: string;
  readonly cosine: number;
}

/** The table; it is unpacked when it is first asked. */
export class WordVectors {
  #terms: string[] = [];
  #idOf = new Map<string, number>();
  #dimension = 0;
  #rows = new Int8Array(0);
  /** One over the length of each row. */
  #scales = new Float64Array(0);

  /** The place of a term by frequency, 0 for the most frequent; undefined when it has no vector. */
  rankOf(term: string): number | undefined {
    if (this.#terms.length === 0) this.#unpack();
    return this.#idOf.get(term);
  }

  /** The `limit` terms that are nearest to one, with a cosine above `least`, the nearest first. It looks at the whole table. */
  nearest(term: string, limit: number, least: number): Neighbour[] {
    const id = this.rankOf(term);
    if (id === undefined) return [];
    const n = this.#dimension, rows = this.#rows, scales = this.#scales;
    const own = rows.subarray(id * n, id * n + n);
    const best: Neighbour[] = [];
    let bound = least / scales[id];
    for (let other = 0, at = 0; other < scales.length; other++) {
      let a = 0, b = 0, c = 0, d = 0;
      // Four sums of whole numbers that do not wait for each other; the dimension is a multiple of four.
      for (let i = 0; i < n; i += 4, at += 4) {
        a = a + Math.imul(own[i], rows[at]) | 0;
        b = b + Math.imul(own[i + 1], rows[at + 1]) | 0;
        c = c + Math.imul(own[i + 2], rows[at + 2]) | 0;
        d = d + Math.imul(own[i + 3], rows[at + 3]) | 0;
      }
      const product = (a + b + c + d) * scales[other];
      if (product <= bound || other === id) continue;
      insert(best, { term: this.#terms[other], cosine: product * scales[id] }, limit);
      if (best.length === limit) bound = best[limit - 1].cosine / scales[id];
    }
    return best;
  }

  #unpack(): void {
    const bytes = gunzipSync(Uint8Array.fromBase64(packed));
    const headerEnd = bytes.indexOf(10), termsEnd = bytes.indexOf(10, headerEnd + 1);
    const { dimension } = JSON.parse(bytes.toString("utf8", 0, headerEnd)) as { dimension: number };
    const terms = bytes.toString("latin1", headerEnd + 1, termsEnd).split(" ");
    // A copy of its own: the buffer has room for more.
    const rows = Int8Array.from(new Int8Array(bytes.buffer, bytes.byteOffset + termsEnd + 1, terms.length * dimension));
    this.#scales = new Float64Array(terms.length);
    for (let id = 0; id < terms.length; id++) {
      let squares = 0;
      for (let i = id * dimension; i < (id + 1) * dimension; i++) squares += rows[i] * rows[i];
      this.#scales[id] = 1 / Math.sqrt(squares);
      this.#idOf.set(terms[id], id);
    }
    this.#dimension = dimension;
    this.#rows = rows;
    this.#terms = terms;
  }
}

/** Puts one where it belongs in a list that falls by cosine and has at most `limit`. */
function insert(best: Neighbour[], one: Neighbour, limit: number): void {
  if (best.length < limit) best.push(one);
  let at = best.length - 1;
  while (at > 0 && best[at - 1].cosine < one.cosine) {
    best[at] = best[at - 1];
    at--;
  }
  best[at] = one;
}
