/**
 * A read of the database that several requests share. A request that comes during one waits for the next, because the
 * running one may have begun before changes that the request must see.
 */
export class SharedLook<Found> {
  #present: Promise<Found> | undefined;
  #next: Promise<Found> | undefined;

  /** Starts a read, or shares one that begins after this call. */
  take(look: () => Promise<Found>): Promise<Found> {
    const start = () => {
      this.#next = undefined;
      const present: Promise<Found> = look().finally(() => {
        if (this.#present === present) this.#present = undefined;
      });
      this.#present = present;
      return present;
    };
    if (this.#present === undefined) return start();
    return this.#next ??= this.#present.then(start, start);
  }
}
