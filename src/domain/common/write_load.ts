/**
 * Whether requests write at the moment: background work that can wait yields to them, so that it takes neither the
 * processor nor the database's locks from a writer. It is never kept off for ever: a loop that found no quiet moment for a
 * while works for a while all the same.
 */
import { pause } from "../../pause.ts";
import { perService } from "./per_service.ts";

/** Without a write for so long it is quiet, in milliseconds: one client's next write comes sooner. */
const QUIET_MS = 50;
/** How often a loop that waits looks again. */
const LOOK_MS = 25;
/** The longest that a loop waits for a quiet moment, and how long it works then without one. */
export const YIELD_MS_MAX = 1_000;
export const WORK_MS = 250;

/** Time as the loops see it. */
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

  /** A write begins; what comes back tells that it has ended. */
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

  /** For a loop of its own: resolves when it may do its next step. */
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
