/** Long work that waits for nothing lets the other requests of the process run in between. */

/** Units of work between two turns of others: a line that is made, or a KiB that is read. */
export const UNITS_OF_A_TURN = 500;

/** Counts work, and gives way after every `UNITS_OF_A_TURN`. */
export class Turns {
  #units = 0;

  /** @param giveWay lets others run */
  constructor(readonly giveWay: () => Promise<void> = letOthersRun) {}

  /** Call after each piece of work, and await what it answers. */
  take(units = 1): Promise<void> | undefined {
    this.#units += units;
    if (this.#units < UNITS_OF_A_TURN) return undefined;
    this.#units = 0;
    return this.giveWay();
  }
}

function letOthersRun(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
