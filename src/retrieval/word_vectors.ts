/**
 * Word vectors: they tell which terms of the index are close in meaning, by the company that words
 * keep in a large body of text.
 *
 * `scripts/gen/word_vectors.ts` makes the table, and the program carries it. Its form, after gzip
 * and base64: a line of JSON (`source`, `licence`, `dimension`), a line with the stems, the most
 * frequent first, then for each of them a row of `dimension` signed bytes. The length of a row has
 * no meaning.
 */

import { gunzipSync } from "node:zlib";
import packed from "../gen/word_vectors.gz.b64.txt" with { type: "text" };

/** The neighbours of a term, the nearest first: their ids in the table, and their cosines with the term. */
export interface Neighbours {
  readonly ids: Uint16Array;
  readonly cosines: Float32Array;
}

const NONE: Neighbours = { ids: new Uint16Array(0), cosines: new Float32Array(0) };

/** The table of vectors; it is unpacked on first use. */
export class WordVectors {
  #terms: string[] = [];
  #idOf = new Map<string, number>();
  #dimension = 0;
  #rows = new Int8Array(0);
  /** The inverse of each row's length. */
  #scales = new Float64Array(0);

  /** The place of a term in the table, 0 for the most frequent; undefined when it has no vector. */
  idOf(term: string): number | undefined {
    if (this.#terms.length === 0) this.#unpack();
    return this.#idOf.get(term);
  }

  /** The term at a place of the table that `idOf` or `nearest` gave. */
  termOf(id: number): string {
    return this.#terms[id];
  }

  /** All terms, the most frequent first. */
  listTerms(): readonly string[] {
    if (this.#terms.length === 0) this.#unpack();
    return this.#terms;
  }

  /** The `limit` terms that are nearest to one, with a cosine above `least`. It looks at the whole table. */
  nearest(term: string, limit: number, least: number): Neighbours {
    const id = this.idOf(term);
    if (id === undefined) return NONE;
    const n = this.#dimension, rows = this.#rows, scales = this.#scales, scale = scales[id];
    const own = rows.subarray(id * n, id * n + n);
    const ids = new Uint16Array(limit), cosines = new Float32Array(limit);
    let found = 0, bound = least / scale;
    for (let other = 0, at = 0; other < scales.length; other++) {
      let a = 0, b = 0, c = 0, d = 0;
      // Four independent sums of integers, so that the CPU can overlap them; the dimension is a
      // multiple of four.
      for (let i = 0; i < n; i += 4, at += 4) {
        a = a + Math.imul(own[i], rows[at]) | 0;
        b = b + Math.imul(own[i + 1], rows[at + 1]) | 0;
        c = c + Math.imul(own[i + 2], rows[at + 2]) | 0;
        d = d + Math.imul(own[i + 3], rows[at + 3]) | 0;
      }
      const product = (a + b + c + d) * scales[other];
      if (product <= bound || other === id) continue;
      let place = found < limit ? found++ : limit - 1;
      for (; place > 0 && cosines[place - 1] < product * scale; place--) {
        ids[place] = ids[place - 1];
        cosines[place] = cosines[place - 1];
      }
      ids[place] = other;
      cosines[place] = product * scale;
      if (found === limit) bound = cosines[limit - 1] / scale;
    }
    return { ids: ids.slice(0, found), cosines: cosines.slice(0, found) };
  }

  #unpack(): void {
    const bytes = gunzipSync(Uint8Array.fromBase64(packed));
    const headerEnd = bytes.indexOf(10), termsEnd = bytes.indexOf(10, headerEnd + 1);
    const { dimension } = JSON.parse(bytes.toString("utf8", 0, headerEnd)) as { dimension: number };
    const terms = bytes.toString("latin1", headerEnd + 1, termsEnd).split(" ");
    // Copied, because the buffer is larger than the rows.
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
