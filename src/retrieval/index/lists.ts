/**
 * The postings of many terms in memory: one list for each term and kind, sorted by document. Documents refer to lists
 * by number. Lists are kept in typed arrays, because most have only an entry or two.
 */
import { ENTRY_WORDS } from "../terms/postings.ts";
import { doubled } from "./columns.ts";

const NONE = -1;

export class PostingLists {
  readonly #pool = new WordPool(ENTRY_WORDS);
  /** The first list of each term; `#next` chains the others in the order in which they were opened. */
  readonly #first = new Map<string, number>();
  readonly #terms: string[] = [];
  #kind = new Uint8Array(256);
  #count = new Uint32Array(256);
  #at = new Uint32Array(256);
  #sizeClass = new Uint8Array(256);
  #next = new Int32Array(256);
  readonly #free: number[] = [];
  #entries = 0;

  /** The number of lists. */
  get size(): number {
    return this.#terms.length - this.#free.length;
  }

  /** Entries of all lists. */
  get entries(): number {
    return this.#entries;
  }

  /** The number of terms that have lists. */
  get terms(): number {
    return this.#first.size;
  }

  names(): IterableIterator<string> {
    return this.#first.keys();
  }

  has(term: string): boolean {
    return this.#first.has(term);
  }

  termOf(list: number): string {
    return this.#terms[list]!;
  }

  kindOf(list: number): number {
    return this.#kind[list]!;
  }

  /** The number of entries of a list. */
  countOf(list: number): number {
    return this.#count[list]!;
  }

  /** The lists of a term. */
  listsOf(term: string): number[] {
    const lists: number[] = [];
    for (let list = this.#first.get(term) ?? NONE; list !== NONE; list = this.#next[list]!) lists.push(list);
    return lists;
  }

  /** The list of a term and kind, or -1. */
  find(term: string, kind: number): number {
    let list = this.#first.get(term) ?? NONE;
    while (list !== NONE && this.#kind[list] !== kind) list = this.#next[list]!;
    return list;
  }

  /** The list of a term and kind; opens one if there is none. The caller has to insert an entry. */
  open(term: string, kind: number): number {
    const found = this.find(term, kind);
    return found === NONE ? this.#make(term, kind) : found;
  }

  /** A view of the entries of a list from index `from` on. Valid until the next change. */
  view(list: number, from = 0): Uint32Array {
    const at = this.#at[list]!;
    return this.#pool.words.subarray(at + from * ENTRY_WORDS, at + this.#count[list]! * ENTRY_WORDS);
  }

  insert(list: number, doc: number, group: number, packed: number): void {
    const n = this.#count[list]!;
    if ((n + 1) * ENTRY_WORDS > this.#pool.sizeOf(this.#sizeClass[list]!)) {
      this.#resize(list, this.#sizeClass[list]! + 1);
    }
    const { words } = this.#pool;
    const first = this.#at[list]!, at = first + this.#lowerBound(list, doc) * ENTRY_WORDS;
    const end = first + n * ENTRY_WORDS;
    if (at < end) words.copyWithin(at + ENTRY_WORDS, at, end);
    words[at] = doc;
    words[at + 1] = group;
    words[at + 2] = packed;
    this.#count[list]!++;
    this.#entries++;
  }

  /**
   * Deletes a document's entry from a list. A list is removed with its last entry, and a term with
   * its last list. @returns true if the list was removed
   */
  delete(list: number, doc: number): boolean {
    const i = this.#lowerBound(list, doc);
    const isThere = i < this.#count[list]! && this.#pool.words[this.#at[list]! + i * ENTRY_WORDS] === doc;
    return isThere && this.#cut(list, i);
  }

  /** Deletes the first entry of a session from a list. @returns as `delete` does */
  deleteGroup(list: number, group: number): boolean {
    const entries = this.view(list);
    for (let i = 1; i < entries.length; i += ENTRY_WORDS) {
      if (entries[i] === group) return this.#cut(list, (i - 1) / ENTRY_WORDS);
    }
    return false;
  }

  #make(term: string, kind: number): number {
    const list = this.#free.pop() ?? this.#terms.length;
    if (list === this.#kind.length) this.#grow();
    this.#terms[list] = term;
    this.#kind[list] = kind;
    this.#count[list] = 0;
    this.#sizeClass[list] = 0;
    this.#at[list] = this.#pool.take(0);
    this.#next[list] = NONE;
    let last = this.#first.get(term) ?? NONE;
    if (last === NONE) this.#first.set(term, list);
    else {
      while (this.#next[last] !== NONE) last = this.#next[last]!;
      this.#next[last] = list;
    }
    return list;
  }

  #grow(): void {
    this.#kind = doubled(this.#kind);
    this.#count = doubled(this.#count);
    this.#at = doubled(this.#at);
    this.#sizeClass = doubled(this.#sizeClass);
    this.#next = doubled(this.#next);
  }

  #resize(list: number, sizeClass: number): void {
    const before = this.#at[list]!, at = this.#pool.take(sizeClass);
    this.#pool.words.copyWithin(at, before, before + this.#count[list]! * ENTRY_WORDS);
    this.#pool.give(before, this.#sizeClass[list]!);
    this.#at[list] = at;
    this.#sizeClass[list] = sizeClass;
  }

  #cut(list: number, i: number): boolean {
    const first = this.#at[list]!, at = first + i * ENTRY_WORDS;
    this.#pool.words.copyWithin(at, at + ENTRY_WORDS, first + this.#count[list]! * ENTRY_WORDS);
    this.#entries--;
    const left = --this.#count[list]!, sizeClass = this.#sizeClass[list]!;
    if (left === 0) {
      this.#remove(list);
      return true;
    }
    // The list shrinks only at a quarter of its capacity, so that a text that comes and goes does
    // not move it each time.
    if (sizeClass > 1 && left * ENTRY_WORDS <= this.#pool.sizeOf(sizeClass - 2)) this.#resize(list, sizeClass - 1);
    return false;
  }

  #remove(list: number): void {
    const term = this.#terms[list]!, next = this.#next[list]!;
    const first = this.#first.get(term)!;
    if (first !== list) {
      let before = first;
      while (this.#next[before] !== list) before = this.#next[before]!;
      this.#next[before] = next;
    } else if (next === NONE) this.#first.delete(term);
    else this.#first.set(term, next);
    this.#pool.give(this.#at[list]!, this.#sizeClass[list]!);
    this.#terms[list] = "";
    this.#free.push(list);
  }

  #lowerBound(list: number, doc: number): number {
    const { words } = this.#pool;
    const first = this.#at[list]!, n = this.#count[list]!;
    if (n === 0 || words[first + (n - 1) * ENTRY_WORDS]! < doc) return n;
    let low = 0, high = n;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (words[first + middle * ENTRY_WORDS]! < doc) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** A pool smaller than this doubles when it grows; a larger one grows by a quarter. */
const LARGE = 1 << 20;

/**
 * Keeps many short runs of u32 words in one typed array, because an object per run would take more
 * memory than the words. A run has `unit` words times a power of two; returned runs are reused.
 */
export class WordPool {
  /** Replaced when the pool grows: read it again after every `take`. */
  words: Uint32Array;
  readonly #unit: number;
  /** Free runs by the logarithm of their size. */
  readonly #free: number[][] = [];
  #end = 0;

  /** @param unit number of words of the smallest run */
  constructor(unit: number) {
    this.#unit = unit;
    this.words = new Uint32Array(64 * unit);
  }

  /** The number of words in a run of a class. */
  sizeOf(sizeClass: number): number {
    return this.#unit << sizeClass;
  }

  /** The class of the smallest run that holds this many words. */
  classFor(words: number): number {
    let sizeClass = 0;
    while (this.sizeOf(sizeClass) < words) sizeClass++;
    return sizeClass;
  }

  /** Hands out a run. Its words are not cleared. @returns its offset in `words` */
  take(sizeClass: number): number {
    const free = this.#free[sizeClass]?.pop();
    if (free !== undefined) return free;
    const at = this.#end;
    this.#end += this.sizeOf(sizeClass);
    if (this.#end > this.words.length) {
      const grown = new Uint32Array(
        Math.max(this.#end, Math.ceil(this.words.length * (this.words.length < LARGE ? 2 : 1.25))),
      );
      grown.set(this.words);
      this.words = grown;
    }
    return at;
  }

  give(at: number, sizeClass: number): void {
    (this.#free[sizeClass] ??= []).push(at);
  }
}
