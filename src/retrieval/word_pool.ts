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
