/** Lets long synchronous work yield to the other requests of the process. */
import { letOthersRun } from "../../pause.ts";

/** Units of work between two yields: a line that was made, or a KiB that was read. */
export const UNITS_OF_A_TURN = 500;

/** Counts work and yields after every `UNITS_OF_A_TURN`. */
export class EventLoopTurns {
  #units = 0;

  /** @param giveWay yields to the event loop */
  constructor(readonly giveWay: () => Promise<void> = letOthersRun) {}

  /** Call after each piece of work, and await the result. */
  take(units = 1): Promise<void> | undefined {
    this.#units += units;
    if (this.#units < UNITS_OF_A_TURN) return undefined;
    this.#units = 0;
    return this.giveWay();
  }
}
