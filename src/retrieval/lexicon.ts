/**
 * The lexicon: which terms may stand in an answer in the place of a query's term, by WordNet's relations and definitions.
 *
 * The table is made by `scripts/gen/lexicon.ts` and carried in the program. Its form, after gzip and base64: a line of JSON
 * (`source`, `licence`, `pairs`, `targetBytes`), a line with the vocabulary, sorted; then, for the vocabulary in order, one
 * byte each for the number of expansions; their places in the vocabulary, ascending in each row, as differences in base 128
 * with the low digits first; and one byte each for the weight in hundredths.
 */

import { gunzipSync } from "node:zlib";
import type { LEXICONS } from "../environment.ts";
import packed from "../gen/lexicon.gz.b64.txt" with { type: "text" };

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
}

class PackedLexicon implements Lexicon {
  readonly name = "wordnet";
  #vocabulary: string[] = [];
  #idOf = new Map<string, number>();
  #starts = new Uint32Array(0);
  #targets = new Uint16Array(0);
  #weights = new Uint8Array(0);
  #ready = false;

  related(term: string): Related[] {
    if (!this.#ready) this.#unpack();
    const id = this.#idOf.get(term);
    if (id === undefined) return [];
    const out: Related[] = [];
    for (let i = this.#starts[id]; i < this.#starts[id + 1]; i++) {
      out.push({ term: this.#vocabulary[this.#targets[i]], weight: this.#weights[i] / 100 });
    }
    return out.sort((a, b) => b.weight - a.weight);
  }

  #unpack(): void {
    const bytes = gunzipSync(Uint8Array.fromBase64(packed));
    const headerEnd = bytes.indexOf(10), vocabularyEnd = bytes.indexOf(10, headerEnd + 1);
    const header = JSON.parse(bytes.toString("utf8", 0, headerEnd)) as { pairs: number; targetBytes: number };
    this.#vocabulary = bytes.toString("latin1", headerEnd + 1, vocabularyEnd).split(" ");
    const size = this.#vocabulary.length;
    const counts = vocabularyEnd + 1, deltas = counts + size, weights = deltas + header.targetBytes;
    this.#starts = new Uint32Array(size + 1);
    this.#targets = new Uint16Array(header.pairs);
    let at = deltas, pair = 0;
    for (let id = 0; id < size; id++) {
      this.#idOf.set(this.#vocabulary[id], id);
      let target = 0;
      for (let n = bytes[counts + id]; n > 0; n--) {
        let shift = 0, byte = 0;
        do {
          byte = bytes[at++];
          target += (byte & 127) << shift;
          shift += 7;
        } while (byte & 128);
        this.#targets[pair++] = target;
      }
      this.#starts[id + 1] = pair;
    }
    this.#weights = Uint8Array.from(bytes.subarray(weights, weights + header.pairs));
    this.#ready = true;
  }
}

const wordnet = new PackedLexicon();

/** The lexicons that can be chosen by name. */
export type LexiconName = (typeof LEXICONS)[number];

/** A lexicon by its name; it is unpacked when it is first asked. Nothing for "none". */
export function openLexicon(name: LexiconName): Lexicon | undefined {
  return name === "wordnet" ? wordnet : undefined;
}
