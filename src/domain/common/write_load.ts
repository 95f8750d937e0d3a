/**
 * Whether requests are writing at the moment. Background work that can wait yields to them, so that it takes neither
 * CPU nor database locks from a writer. No loop waits for ever: a loop that has found no quiet moment for a
 * while works for a while all the same.
 */
import { pause } from "../../pause.ts";
import { perService } from "./per_service.ts";

/** It is quiet after so long without a write, in milliseconds: a busy client sends its next write sooner. */
const QUIET_MS = 50;
/** How often a waiting loop checks again. */
const LOOK_MS = 25;
/** The longest that a loop waits for a quiet moment, and how long it then works without one, in milliseconds. */
export const YIELD_MS_MAX = 1_000;
export const WORK_MS = 250;

/** The clock that the loops use. */
export interface Clock {
  readonly now: () => number;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

export class WriteLoad {
  readonly #clock: Clock;
  #open = 0;
  #endedAt = -Infinity;

  constructor(clock: Clock = { now: () => performance.now(), pause }) {
    this.#clock = clock;
  }

  /** Counts a write that begins. The caller calls the returned function when the write has ended. */
  begin(): () => void {
    this.#open++;
    return () => {
      this.#open--;
      this.#endedAt = this.#clock.now();
    };
  }

  get isQuiet(): boolean {
    return this.#open === 0 && this.#clock.now() - this.#endedAt >= QUIET_MS;
  }

  /** @returns a function for one loop, which resolves when the loop may take its next step */
  yielding(signal: AbortSignal): () => Promise<void> {
    const { now } = this.#clock;
    let mayWorkUntil = -Infinity;
    return async () => {
      const until = now() + YIELD_MS_MAX;
      while (!this.isQuiet && now() >= mayWorkUntil && !signal.aborted) {
        if (now() >= until) mayWorkUntil = now() + WORK_MS;
        else await this.#clock.pause(LOOK_MS, signal);
      }
    };
  }
}

export const writeLoadOf = perService(() => new WriteLoad());
