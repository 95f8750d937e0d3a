/**
 * The semantic tier in memory, for the built-in embeddings, whose vectors are mostly zeros. A vector is read from the
 * database when a search first needs it, because a text may wait for its vector; then memory keeps it as long as the
 * text.
 */
import { cosineOf, type Nearest, readAsStored } from "../../db/queries/embeddings.ts";
import { KINDS } from "../../schema/common.ts";
import type { Whole } from "./hot.ts";

/** Keeps the numbers of a vector that are not 0: pairs of a place and the number there. */
export function keepVector(vector: Float32Array): Float32Array {
  const pairs: number[] = [];
  for (let i = 0; i < vector.length; i++) if (vector[i] !== 0) pairs.push(i, vector[i]!);
  return Float32Array.from(pairs);
}

/** The documents of some kinds, including those of earlier versions. */
export function listDocs({ index, rest }: Whole, kinds: ReadonlySet<number> | undefined): number[] {
  const docs: number[] = [];
  for (const { columns } of [index.index, rest.index]) {
    for (let slot = 0; slot < columns.end; slot++) {
      if ((kinds === undefined || kinds.has(columns.kind[slot]!)) && columns.isUsed(slot)) {
        docs.push(columns.doc[slot]!);
      }
    }
  }
  return docs;
}

/** The texts nearest to a vector among some, nearest first; `compareVectors` does the same in the database. */
export function compareHeld(
  { rest }: Whole,
  docNos: Iterable<number>,
  vector: Float32Array,
  limit: number,
): Nearest[] {
  const { stored, square } = readAsStored(vector);
  const found: Nearest[] = [];
  for (const docNo of docNos) {
    const pairs = rest.vectors.get(docNo);
    if (pairs === undefined) continue;
    let own = 0, sum = square;
    for (let i = 0; i < pairs.length; i += 2) {
      const value = pairs[i + 1]!, other = stored[pairs[i]!]!, both = Math.fround(value + other);
      own += value * value;
      sum += both * both - other * other;
    }
    found.push({ docNo, similarity: cosineOf(own, square, sum) });
  }
  return found.sort((a, b) => b.similarity - a.similarity || a.docNo - b.docNo).slice(0, limit);
}

/** The numbers of kinds, for postings and vectors; undefined: all. */
export function kindNumbers(kinds: readonly (keyof typeof KINDS)[]): ReadonlySet<number> | undefined {
  return kinds.length === Object.keys(KINDS).length ? undefined : new Set(kinds.map((kind) => KINDS[kind]));
}
