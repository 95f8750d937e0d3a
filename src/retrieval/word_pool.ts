/** From here on a pool grows by a quarter, below it doubles. */
const LARGE = 1 << 20;

/**
 * Many short runs of u32 words in one typed array: an object for each would cost more than its words. A run has a power
 * of two of words times `unit`; runs that are given back are used again.
 */
export class WordPool {
  /** Moves when the pool grows: read it anew after every `take`. */
  words: Uint32Array;
  readonly #unit: number;
  /** Free runs by the logarithm of their size. */
  readonly #free: number[][] = [];
  #end = 0;

  /** @param unit words of the smallest run */
  constructor(unit: number) {
    this.#unit = unit;
    this.words = new Uint32Array(64 * unit);
  }

  /** Words of a run of a class. */
  sizeOf(sizeClass: number): number {
    return this.#unit << sizeClass;
  }

  /** The class of the smallest run with room for some words. */
  classFor(words: number): number {
    let sizeClass = 0;
    while (this.sizeOf(sizeClass) < words) sizeClass++;
    return sizeClass;
  }

  /** Gives out a run; its words are whatever they were. */
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
