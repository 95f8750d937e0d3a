/**
 * A map from u32 keys (0 is no key) to small integers, in typed arrays: no object per entry, and reused between queries.
 */
export class U32Map {
  #keys = new Uint32Array(1024);
  #values = new Int32Array(1024);
  #mask = 1023;
  #size = 0;

  clear(): void {
    if (this.#size > 0) this.#keys.fill(0);
    this.#size = 0;
  }

  /** The value of `key`, or -1. */
  get(key: number): number {
    let at = Math.imul(key, 0x9e3779b1) >>> 7 & this.#mask;
    for (;;) {
      const found = this.#keys[at];
      if (found === key) return this.#values[at];
      if (found === 0) return -1;
      at = at + 1 & this.#mask;
    }
  }

  /** Gives a key the value if it has none. @returns the value that the key has then */
  add(key: number, value: number): number {
    if (this.#size * 2 > this.#mask) this.#grow();
    let at = Math.imul(key, 0x9e3779b1) >>> 7 & this.#mask;
    for (;;) {
      const found = this.#keys[at];
      if (found === key) return this.#values[at];
      if (found === 0) break;
      at = at + 1 & this.#mask;
    }
    this.#keys[at] = key;
    this.#values[at] = value;
    this.#size++;
    return value;
  }

  #grow(): void {
    const keys = this.#keys, values = this.#values;
    this.#keys = new Uint32Array(keys.length * 2);
    this.#values = new Int32Array(keys.length * 2);
    this.#mask = this.#keys.length - 1;
    this.#size = 0;
    for (let i = 0; i < keys.length; i++) if (keys[i] !== 0) this.add(keys[i], values[i]);
  }
}
