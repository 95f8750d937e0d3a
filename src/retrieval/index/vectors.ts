/**
 * Vectors of texts in memory, and the search for those nearest to another vector: the texts whose codes of signs differ
 * in the fewest bits are compared by their cosine. `findNearest` in `db/queries/embeddings.ts` does the same.
 *
 * A vector is one of the built-in embeddings: whole numbers, of which only the first 256 may differ from 0.
 */
import { measure, memory } from "../../gen/hamming.wasm";
import type { NearText } from "../ranking/candidates.ts";
import { doubled } from "./columns.ts";

// Memory for the sign codes of vectors, in pages. All services of a process share one WebAssembly memory, because an engine
// allows only some dozens of large ones.

/** Bytes of a code: one bit for each of 256 components. */
const CODE_BYTES = 32;
/** Codes of a page. */
const PAGE_CODES = 1_024;
const PAGE_BYTES = CODE_BYTES * PAGE_CODES;
const WASM_PAGE_BYTES = 65_536;
/** The first page holds what a search needs: the query's code, and behind it the distances of one page. */
const QUERY_AT = 0, DISTANCES_AT = CODE_BYTES;

const free: number[] = [];
let end = PAGE_BYTES;

/** Takes a page. @returns its address */
function takePage(): number {
  const page = free.pop() ?? end;
  if (page < end) return page;
  end += PAGE_BYTES;
  const lacking = end - memory.buffer.byteLength;
  if (lacking > 0) memory.grow(Math.ceil(lacking / WASM_PAGE_BYTES));
  return page;
}

/** Gives a page back. */
function givePage(page: number): void {
  free.push(page);
}

/** The code at a place of a page. Valid until the next `takePage`. */
function codeAt(page: number, place: number): Uint8Array {
  return new Uint8Array(memory.buffer, page + place * CODE_BYTES, CODE_BYTES);
}

/** Sets the code to which `measurePage` compares. */
function setQueryCode(code: Uint8Array): void {
  new Uint8Array(memory.buffer, QUERY_AT, CODE_BYTES).set(code);
}

/** The distances of a page's first `count` codes, 0 to 256 each. Valid until the next call. */
function measurePage(page: number, count: number): Uint16Array {
  measure(page, count, QUERY_AT, DISTANCES_AT);
  return new Uint16Array(memory.buffer, DISTANCES_AT, count);
}

const COMPONENTS = 8 * CODE_BYTES;
const DECIMALS = 1e4;

/** How many texts are compared by their cosine to find the `limit` nearest. */
export function comparedFor(limit: number): number {
  return Math.max(200, 4 * limit);
}

/** The sign of each component: bit 7 of the first byte is the first component's, and 1 if that is above 0. */
export function codeOf(vector: ArrayLike<number>): Uint8Array {
  const code = new Uint8Array(CODE_BYTES);
  for (let i = 0; i < COMPONENTS; i++) if (vector[i] > 0) code[i >> 3] |= 128 >> (i & 7);
  return code;
}

/** The cosine of two vectors, from their product and the sums of their squares. */
export function roundedCosine(product: number, square: number, otherSquare: number): number {
  return Math.round(DECIMALS * product / (Math.sqrt(square) * Math.sqrt(otherSquare))) / DECIMALS;
}

/** Gives the pages of vectors back that nobody uses any more, because an index is dropped without a word. */
const unused = new FinalizationRegistry<number[]>((pages) => {
  for (const page of pages) givePage(page);
});

export class HeldVectors {
  /** A text's slot; slots are used without gaps. */
  readonly #slots = new Map<number, number>();
  readonly #pages: number[] = [];
  #docs = new Float64Array(64);
  #kinds = new Uint8Array(64);
  #squares = new Float64Array(64);
  #values = new Int8Array(64 * COMPONENTS);
  /** Texts without a vector, and those whose vectors will be replaced. */
  readonly #expected = new Set<number>();

  constructor() {
    unused.register(this, this.#pages);
  }

  get size(): number {
    return this.#slots.size;
  }

  /** Memory in bytes. */
  get bytes(): number {
    return this.#docs.length * (COMPONENTS + 17) + this.#pages.length * PAGE_CODES * CODE_BYTES + this.size * 40;
  }

  /** Texts whose vectors, or whose better vectors, are still to come. */
  get expected(): ReadonlySet<number> {
    return this.#expected;
  }

  has(docNo: number): boolean {
    return this.#slots.has(docNo);
  }

  /** Notes that a text's vector is still to come, if it has none. */
  expect(docNo: number): void {
    if (!this.#slots.has(docNo)) this.#expected.add(docNo);
  }

  /** Sets a text's vector. @param isDraft whether a better one is still to come */
  set(docNo: number, kind: number, vector: ArrayLike<number>, isDraft: boolean): void {
    const slot = this.#slots.get(docNo) ?? this.#open(docNo);
    let square = 0;
    for (let i = 0, at = slot * COMPONENTS; i < COMPONENTS; i++, at++) {
      const value = vector[i];
      this.#values[at] = value;
      square += value * value;
    }
    this.#kinds[slot] = kind;
    this.#squares[slot] = square;
    this.#code(slot).set(codeOf(vector));
    if (isDraft) this.#expected.add(docNo);
    else this.#expected.delete(docNo);
  }

  delete(docNo: number): void {
    this.#expected.delete(docNo);
    const slot = this.#slots.get(docNo);
    if (slot === undefined) return;
    const last = this.#slots.size - 1, moved = this.#docs[last];
    if (slot !== last) {
      this.#values.copyWithin(slot * COMPONENTS, last * COMPONENTS, (last + 1) * COMPONENTS);
      for (const column of [this.#docs, this.#kinds, this.#squares]) column[slot] = column[last];
      this.#code(slot).set(this.#code(last));
      this.#slots.set(moved, slot);
    }
    this.#slots.delete(docNo);
    if (last % PAGE_CODES === 0) givePage(this.#pages.pop()!);
  }

  /** The texts of some kinds (default all) nearest to a vector, nearest first; of equally near ones the older first. */
  findNearest(vector: ArrayLike<number>, limit: number, kinds?: ReadonlySet<number>): NearText[] {
    const slots = this.#findByCode(codeOf(vector), comparedFor(limit), kinds);
    return this.#compare(slots, vector).slice(0, limit);
  }

  /** The cosines of some texts, nearest first; texts without a vector are left out. */
  compare(docNos: Iterable<number>, vector: ArrayLike<number>, limit: number): NearText[] {
    const slots: number[] = [];
    for (const docNo of docNos) {
      const slot = this.#slots.get(docNo);
      if (slot !== undefined) slots.push(slot);
    }
    return this.#compare(slots, vector).slice(0, limit);
  }

  #compare(slots: readonly number[], vector: ArrayLike<number>): NearText[] {
    const query = new Int16Array(COMPONENTS), values = this.#values;
    let square = 0;
    for (let i = 0; i < COMPONENTS; i++) {
      query[i] = vector[i];
      square += query[i] * query[i];
    }
    return slots.map((slot): NearText => {
      let product = 0;
      for (let i = 0, at = slot * COMPONENTS; i < COMPONENTS; i++, at++) product += query[i] * values[at];
      return { docNo: this.#docs[slot], similarity: roundedCosine(product, this.#squares[slot], square) };
    }).sort((a, b) => b.similarity - a.similarity || a.docNo - b.docNo);
  }

  /** The slots of the texts whose codes differ least, in no order; of equal ones the older texts. */
  #findByCode(code: Uint8Array, limit: number, kinds: ReadonlySet<number> | undefined): number[] {
    setQueryCode(code);
    const size = this.#slots.size;
    const distances = new Uint16Array(size), counts = new Uint32Array(COMPONENTS + 1);
    const isWanted = kinds && Uint8Array.from({ length: 256 }, (_, kind) => Number(kinds.has(kind)));
    for (let from = 0, page = 0; from < size; from += PAGE_CODES, page++) {
      distances.set(measurePage(this.#pages[page], Math.min(PAGE_CODES, size - from)), from);
    }
    for (let slot = 0; slot < size; slot++) {
      if (isWanted === undefined || isWanted[this.#kinds[slot]] === 1) counts[distances[slot]]++;
    }
    let bound = 0, nearer = 0;
    while (bound < COMPONENTS && nearer + counts[bound] < limit) nearer += counts[bound++];
    const found: number[] = [], tied: number[] = [];
    for (let slot = 0; slot < size; slot++) {
      if (distances[slot] > bound || isWanted !== undefined && isWanted[this.#kinds[slot]] === 0) continue;
      (distances[slot] < bound ? found : tied).push(slot);
    }
    if (found.length + tied.length > limit) tied.sort((a, b) => this.#docs[a] - this.#docs[b]);
    return [...found, ...tied.slice(0, limit - found.length)];
  }

  #code(slot: number): Uint8Array {
    return codeAt(this.#pages[Math.floor(slot / PAGE_CODES)], slot % PAGE_CODES);
  }

  #open(docNo: number): number {
    const slot = this.#slots.size;
    if (slot === this.#docs.length) {
      this.#docs = doubled(this.#docs);
      this.#kinds = doubled(this.#kinds);
      this.#squares = doubled(this.#squares);
      this.#values = doubled(this.#values);
    }
    if (slot === this.#pages.length * PAGE_CODES) this.#pages.push(takePage());
    this.#slots.set(docNo, slot);
    this.#docs[slot] = docNo;
    return slot;
  }
}
