/**
 * Vectors in memory, laid out by dimension: a query is compared with all of them at once, and its empty dimensions,
 * which the built-in embeddings have many of, cost nothing.
 */
export class VectorBlock {
  readonly #capacity: number;
  readonly #slots = new Map<number, number>();
  readonly #docs: Float64Array;
  readonly #free: number[] = [];
  #columns: Float32Array[] = [];
  #used = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#docs = new Float64Array(capacity);
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

  /** Adds or replaces a document's vector; one more than there is room for is passed over. */
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
    const sums = new Float32Array(this.#used);
    for (let d = 0; d < Math.min(query.length, this.#columns.length); d++) {
      const weight = query[d];
      if (weight === 0) continue;
      const column = this.#columns[d];
      for (let slot = 0; slot < sums.length; slot++) sums[slot] += weight * column[slot];
    }
    const best: { docNo: number; similarity: number }[] = [];
    for (let slot = 0; slot < sums.length; slot++) {
      const docNo = this.#docs[slot], similarity = sums[slot];
      if (docNo === 0 || best.length === limit && similarity <= best[limit - 1].similarity || !eligible(docNo)) {
        continue;
      }
      let at = best.length < limit ? best.length : limit - 1;
      while (at > 0 && best[at - 1].similarity < similarity) {
        best[at] = best[at - 1];
        at--;
      }
      best[at] = { docNo, similarity };
    }
    return best;
  }
}
