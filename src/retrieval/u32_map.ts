/**
 * A map from u32 keys (0 is no key) to small integers, in typed arrays: no object per entry, and reused between queries.
 */
export class U32Map {
  #keys = new Uint32Array(1024);
  #values = new Int32Array(1024);
  #mask = 1023;
  #size = 0;

  get size(): number {
    return this.#size;
  }

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

  set(key: number, value: number): void {
    if (this.#size * 2 > this.#mask) this.#grow();
    let at = Math.imul(key, 0x9e3779b1) >>> 7 & this.#mask;
    while (this.#keys[at] !== 0 && this.#keys[at] !== key) at = at + 1 & this.#mask;
    if (this.#keys[at] === 0) {
      this.#keys[at] = key;
      this.#size++;
    }
    this.#values[at] = value;
  }

  forEach(visit: (key: number, value: number) => void): void {
    for (let i = 0; i < this.#keys.length; i++) if (this.#keys[i] !== 0) visit(this.#keys[i], this.#values[i]);
  }

  #grow(): void {
    const keys = this.#keys, values = this.#values;
    this.#keys = new Uint32Array(keys.length * 2);
    this.#values = new Int32Array(keys.length * 2);
    this.#mask = this.#keys.length - 1;
    this.#size = 0;
    for (let i = 0; i < keys.length; i++) if (keys[i] !== 0) this.set(keys[i], values[i]);
  }
}
