/** A bounded min-heap of slots by score; ties go to the lower slot, so that the order is always the same. */
export class TopSlots {
  #slots: Uint32Array;
  #scores: Float64Array;
  #n = 0;

  constructor(limit: number) {
    this.#slots = new Uint32Array(limit);
    this.#scores = new Float64Array(limit);
  }

  /** A slot is kept only if its score is greater than this. */
  get least(): number {
    if (this.#n < this.#slots.length) return -Infinity;
    return this.#n === 0 ? Infinity : this.#scores[0]!;
  }

  offer(slot: number, score: number): void {
    const n = this.#n;
    if (n < this.#slots.length) {
      this.#n++;
      this.#up(n, slot, score);
    } else if (n > 0 && score > this.#scores[0]) this.#down(slot, score);
  }

  #up(start: number, slot: number, score: number): void {
    let i = start;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (this.#scores[parent] <= score) break;
      this.#slots[i] = this.#slots[parent];
      this.#scores[i] = this.#scores[parent];
      i = parent;
    }
    this.#slots[i] = slot;
    this.#scores[i] = score;
  }

  #down(slot: number, score: number): void {
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= this.#n) break;
      if (child + 1 < this.#n && this.#scores[child + 1] < this.#scores[child]) child++;
      if (this.#scores[child] >= score) break;
      this.#slots[i] = this.#slots[child];
      this.#scores[i] = this.#scores[child];
      i = child;
    }
    this.#slots[i] = slot;
    this.#scores[i] = score;
  }

  sorted(): Uint32Array {
    const scores = this.#scores, slots = this.#slots;
    const order = new Uint32Array(this.#n);
    for (let i = 0; i < order.length; i++) order[i] = i;
    order.sort((a, b) => scores[a] > scores[b] ? -1 : scores[a] < scores[b] ? 1 : slots[a] - slots[b]);
    for (let i = 0; i < order.length; i++) order[i] = slots[order[i]];
    return order;
  }
}
