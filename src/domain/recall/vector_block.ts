/**
 * Vectors in memory, laid out by dimension: a query is compared with all of them at once, and its empty dimensions,
 * which the built-in embeddings have many of, cost nothing.
 */
export class VectorBlock {
  readonly #capacity: number;
  readonly #slots = new Map<number, number>();
  readonly #docs: Float64Array;
  readonly #free: number[] = [];
  readonly #sums: Float64Array;
  #columns: Float32Array[] = [];
  #used = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#docs = new Float64Array(capacity);
    this.#sums = new Float64Array(capacity);
  }

  get size(): number {
    return this.#slots.size;
  }

  get room(): number {
    return this.#capacity - this.#slots.size;
  }

  get bytes(): number {
    return this.#columns.length * this.#capacity * 4;
  }

  has(doc: number): boolean {
    return this.#slots.has(doc);
  }

  /** Adds or replaces a document's vector; when the block is full, a further one is skipped. */
  set(doc: number, vector: Float32Array): void {
    let slot = this.#slots.get(doc);
    if (slot === undefined) {
      if (this.room === 0) return;
      slot = this.#free.pop() ?? this.#used++;
      this.#slots.set(doc, slot);
      this.#docs[slot] = doc;
    }
    if (this.#columns.length === 0) this.#columns = Array.from(vector, () => new Float32Array(this.#capacity));
    for (let d = 0; d < vector.length; d++) this.#columns[d][slot] = vector[d];
  }

  delete(doc: number): void {
    const slot = this.#slots.get(doc);
    if (slot === undefined) return;
    this.#slots.delete(doc);
    this.#docs[slot] = 0;
    this.#free.push(slot);
  }

  /** The `limit` documents that `eligible` lets through and that are nearest to a unit vector, best first. */
  findNearest(
    query: Float32Array,
    limit: number,
    eligible: (doc: number) => boolean,
  ): { docNo: number; similarity: number }[] {
    const sums = this.#compare(query);
    const best: { docNo: number; similarity: number }[] = [];
    let least = -Infinity;
    for (let slot = 0; slot < sums.length; slot++) {
      const docNo = this.#docs[slot], similarity = sums[slot];
      if (similarity <= least || docNo === 0 || !eligible(docNo)) continue;
      let at = best.length < limit ? best.length : limit - 1;
      while (at > 0 && best[at - 1].similarity < similarity) {
        best[at] = best[at - 1];
        at--;
      }
      best[at] = { docNo, similarity };
      if (best.length === limit) least = best[limit - 1].similarity;
    }
    return best;
  }

  /** The inner product of a query with the vector of each slot; valid until the next call. */
  #compare(query: Float32Array): Float64Array {
    const sums = this.#sums.subarray(0, this.#used);
    sums.fill(0);
    const columns: Float32Array[] = [], weights: number[] = [];
    for (let d = 0; d < Math.min(query.length, this.#columns.length); d++) {
      if (query[d] === 0) continue;
      columns.push(this.#columns[d]);
      weights.push(query[d]);
    }
    let at = 0;
    // Four dimensions at a time: the sums are read and written a quarter as often.
    for (; at + 4 <= columns.length; at += 4) {
      const a = columns[at], b = columns[at + 1], c = columns[at + 2], d = columns[at + 3];
      const wa = weights[at], wb = weights[at + 1], wc = weights[at + 2], wd = weights[at + 3];
      for (let slot = 0; slot < sums.length; slot++) {
        sums[slot] += wa * a[slot] + wb * b[slot] + wc * c[slot] + wd * d[slot];
      }
    }
    for (; at < columns.length; at++) {
      const column = columns[at], weight = weights[at];
      for (let slot = 0; slot < sums.length; slot++) sums[slot] += weight * column[slot];
    }
    return sums;
  }
}
