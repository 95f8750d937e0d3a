/** The places among a party's connections. The client counts them itself: Node's agents would not. */
export class Places {
  /** The functions that wake the waiting requests, except requests that are woken already. */
  readonly #waiting = new Set<() => void>();
  #taken = 0;
  #isClosed = false;

  /** The number of places that requests hold. */
  get taken(): number {
    return this.#taken;
  }

  /**
   * Waits for a place while requests hold `max` of them. The caller that gets one calls `leave` at its end.
   * @returns false when the signal is aborted or the places are closed before there is one
   */
  async enter(max: number, ended: AbortSignal): Promise<boolean> {
    let isWoken = false;
    while (!this.#isClosed && !ended.aborted) {
      if (this.#taken < max) {
        this.#taken++;
        return true;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      ended.addEventListener("abort", () => resolve(), { once: true });
      await promise;
      isWoken = !this.#waiting.delete(resolve);
    }
    // The place for which it was woken goes to the next one.
    if (isWoken) this.#wakeNext();
    return false;
  }

  leave(): void {
    this.#taken--;
    this.#wakeNext();
  }

  /** Closes the places: nobody gets one any more. */
  close(): void {
    this.#isClosed = true;
    for (const wake of this.#waiting) wake();
  }

  /** Wakes the first waiting request, once: if another request leaves before that one resumes, it wakes the next. */
  #wakeNext(): void {
    const [first] = this.#waiting;
    if (first === undefined) return;
    this.#waiting.delete(first);
    first();
  }
}
