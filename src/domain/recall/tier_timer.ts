/** Measures how long each tier of a recall took. */
import type { RecallTier } from "../../schema/recall.ts";

export interface TierReport {
  readonly tier: RecallTier;
  readonly candidates: number;
  /** The tier's own time. */
  readonly durationMs: number;
  /** From its first piece of work to its last, on the clock of `performance.now()`. */
  readonly span: { readonly startedMs: number; readonly endedMs: number };
}

/** Adds up how long each tier took, and from when to when. */
export class TierTimer {
  readonly #times = new Map<RecallTier, { durationMs: number; startedMs: number; endedMs: number }>();
  readonly #counts = new Map<RecallTier, number>();
  #last = performance.now();

  /** Assigns the time since the last lap to a tier. */
  lap(tier: RecallTier): void {
    const started = this.#last;
    this.#last = performance.now();
    this.add(tier, started, this.#last);
  }

  /** Adds a period to a tier that runs in parallel to the others. */
  add(tier: RecallTier, startedMs: number, endedMs: number): void {
    const before = this.#times.get(tier);
    this.#times.set(tier, {
      durationMs: (before?.durationMs ?? 0) + endedMs - startedMs,
      startedMs: before?.startedMs ?? startedMs,
      endedMs,
    });
  }

  /** Times a read. One that is still on the way runs in parallel to what the laps measure. */
  time<T>(tier: RecallTier, read: () => T | Promise<T>): T | Promise<T> {
    const started = performance.now();
    const found = read();
    if (found instanceof Promise) {
      return found.then((value) => {
        this.add(tier, started, performance.now());
        return value;
      });
    }
    const ended = performance.now();
    this.add(tier, started, ended);
    this.#last += ended - started;
    return found;
  }

  count(tier: RecallTier, candidates: number): void {
    this.#counts.set(tier, candidates);
  }

  /** Reports the tiers that took part. */
  report(): TierReport[] {
    return (["lexical", "semantic", "graph", "temporal"] as const).flatMap((tier) => {
      const time = this.#times.get(tier);
      if (time === undefined) return [];
      const { durationMs, ...span } = time;
      return [{
        tier,
        candidates: this.#counts.get(tier) ?? 0,
        durationMs: Math.round(durationMs * 1_000) / 1_000,
        span,
      }];
    });
  }
}
