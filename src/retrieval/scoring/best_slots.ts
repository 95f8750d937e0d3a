/**
 * A bounded heap of slots by score. Ties go to the lower key, so that choice and order depend on
 * what the slots stand for, and not on how a query's postings were laid out.
 */
export class TopSlots {
  #slots: Uint32Array;
  #scores: Float64Array;
  #keys: Float64Array;
  #n = 0;

  constructor(limit: number) {
    this.#slots = new Uint32Array(limit);
    this.#scores = new Float64Array(limit);
    this.#keys = new Float64Array(limit);
  }

  /**
   * A slot with a lower score is not kept. A slot with this score is kept if its key is low enough.
   */
  get least(): number {
    if (this.#n < this.#slots.length) return -Infinity;
    return this.#n === 0 ? Infinity : this.#scores[0]!;
  }

  /** Offers a slot. @param key unique among all slots */
  offer(slot: number, score: number, key: number): void {
    const n = this.#n;
    if (n < this.#slots.length) {
      this.#n++;
      this.#up(n, slot, score, key);
    } else if (n > 0 && this.#isWorse(0, score, key)) this.#down(slot, score, key);
  }

  /** Whether the slot at a place ranks below the given score and key. */
  #isWorse(at: number, score: number, key: number): boolean {
    const own = this.#scores[at]!;
    return own < score || own === score && this.#keys[at]! > key;
  }

  #set(at: number, slot: number, score: number, key: number): void {
    this.#slots[at] = slot;
    this.#scores[at] = score;
    this.#keys[at] = key;
  }

  #move(from: number, to: number): void {
    this.#set(to, this.#slots[from]!, this.#scores[from]!, this.#keys[from]!);
  }

  #up(start: number, slot: number, score: number, key: number): void {
    let i = start;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (this.#isWorse(parent, score, key)) break;
      this.#move(parent, i);
      i = parent;
    }
    this.#set(i, slot, score, key);
  }

  #down(slot: number, score: number, key: number): void {
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= this.#n) break;
      if (child + 1 < this.#n && this.#isWorse(child + 1, this.#scores[child]!, this.#keys[child]!)) child++;
      if (!this.#isWorse(child, score, key)) break;
      this.#move(child, i);
      i = child;
    }
    this.#set(i, slot, score, key);
  }

  /** The slots, the best first. */
  sorted(): Uint32Array {
    const scores = this.#scores, keys = this.#keys, slots = this.#slots;
    const order = new Uint32Array(this.#n);
    for (let i = 0; i < order.length; i++) order[i] = i;
    order.sort((a, b) => scores[a] > scores[b] ? -1 : scores[a] < scores[b] ? 1 : keys[a] - keys[b]);
    for (let i = 0; i < order.length; i++) order[i] = slots[order[i]];
    return order;
  }
}
