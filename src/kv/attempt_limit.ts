/** The limit on failed authentication attempts, which bounds their cost and how often a caller may guess. */
import { ServiceError } from "../errors.ts";
import { networkOf } from "../schema/cidr.ts";
import type { KeyValue } from "./key_value.ts";
import { MemoryKeyValue } from "./memory.ts";

const WINDOW_SECONDS = 60;
/** How long a refusal is remembered, in milliseconds. */
const REFUSAL_MS = 1_000;
/** The most refusals that are remembered; then the oldest are dropped. */
const REFUSALS_MAX = 10_000;
/** The most attempts that may wait for earlier ones; further attempts are refused. */
const WAITING_MAX = 256;

export interface AttemptLimits {
  /** Failures per minute from one source. Default 10. */
  readonly perSource?: number;
  /** Failures per minute of one source on one public key id. Default 5. */
  readonly perSourceAndKey?: number;
  /**
   * Failures per minute on one public key id from all sources together, which bounds the cost of their hashes. Default
   * 30, fewer than may wait for a thread.
   */
  readonly perKey?: number;
}

/**
 * Counts failed attempts in windows of a minute, starting with the first. An attempt takes a place from its start until
 * it succeeds, so that concurrent attempts cannot exceed the limit together. If undecided attempts of this process have
 * taken the last place, the next one waits for them: many good keys at once from one source all pass. If the store does
 * not answer, this process counts for itself.
 *
 * It comes before the expensive check and after the lookup of verified tokens: nobody can shut out a key in use by
 * trying its id, and only many sources together can shut out another one.
 */
export class AttemptLimit {
  readonly #kv: KeyValue;
  readonly #local: KeyValue;
  readonly #clock: () => Date;
  readonly #perSource: number;
  readonly #perSourceAndKey: number;
  readonly #perKey: number;
  /**
   * Recent refusals, and the ends of their windows, so that a flood does not ask the store, which may be a network
   * away, for each of its requests.
   */
  readonly #refused = new Map<string, { readonly untilMs: number; readonly windowEndsAtMs: number }>();

  constructor(kv: KeyValue, clock: () => Date = () => new Date(), limits: AttemptLimits = {}) {
    const { perSource = 10, perSourceAndKey = 5, perKey = 30 } = limits;
    this.#kv = kv;
    this.#local = new MemoryKeyValue({ clock });
    this.#clock = clock;
    this.#perSource = perSource;
    this.#perSourceAndKey = perSourceAndKey;
    this.#perKey = perKey;
  }

  /** By counter, this process's attempts that have neither failed nor been given back, and those that wait for them. */
  readonly #undecided = new Map<string, { count: number; waiting: (() => void)[] }>();

  /**
   * Notes that an attempt begins. The caller decides it by `fail` or `giveBack` in any case.
   * @param source the address of the caller; for an IPv6 address, its network of 64 bits counts
   * @throws ServiceError `rate_limited` with `retry-after` when the source, the source on the key, or the key has
   * failed too often
   */
  async begin(source: string, publicId: string): Promise<Attempt> {
    const network = networkOf(source);
    const bounds = [
      [`attempt:source:${network}`, this.#perSource],
      [`attempt:pair:${network}:${publicId}`, this.#perSourceAndKey],
      [`attempt:key:${publicId}`, this.#perKey],
    ] as const;
    const taken: string[] = [];
    try {
      // Checked in sequence, so that a source that is refused cannot use up the attempts of somebody else's key.
      for (const [key, max] of bounds) {
        await this.#take(key, max);
        taken.push(key);
      }
    } catch (error) {
      this.#decide(taken);
      throw error;
    }
    return {
      fail: () => this.#decide(taken),
      giveBack: async () => {
        try {
          await Promise.all(taken.map((key) => this.#increment(key, -1)));
        } finally {
          this.#decide(taken);
        }
      },
    };
  }

  /**
   * Counts a wrong guess at a secret that belongs to no key, as a failure of its source alone.
   * @throws ServiceError `rate_limited` with `retry-after` when the source has failed too often
   */
  async noteFailure(source: string): Promise<void> {
    const key = `attempt:source:${networkOf(source)}`;
    const now = this.#clock().getTime();
    this.#requireUnrefused(key, now);
    const { value, ttlSeconds } = await this.#increment(key, 1);
    // Keys of this source that are still being checked have not failed.
    if (value - (this.#undecided.get(key)?.count ?? 0) <= this.#perSource) return;
    this.#noteRefusal(key, now, ttlSeconds);
    throw refused(ttlSeconds);
  }

  async #take(key: string, max: number): Promise<void> {
    while (true) {
      const now = this.#clock().getTime();
      this.#requireUnrefused(key, now);
      const { value, ttlSeconds } = await this.#increment(key, 1);
      if (value <= max) return this.#noteUndecided(key);
      const undecided = this.#undecided.get(key);
      if (undecided === undefined) {
        this.#noteRefusal(key, now, ttlSeconds);
        throw refused(ttlSeconds);
      }
      await this.#increment(key, -1);
      if (undecided.waiting.length >= WAITING_MAX) throw refused(1);
      await this.#nextDecision(key);
    }
  }

  #noteUndecided(key: string): void {
    const undecided = this.#undecided.get(key);
    if (undecided === undefined) this.#undecided.set(key, { count: 1, waiting: [] });
    else undecided.count++;
  }

  /** Resolves when one more of the undecided attempts is decided; immediately if there is none. */
  #nextDecision(key: string): Promise<void> {
    const undecided = this.#undecided.get(key);
    return new Promise((resolve) => undecided === undefined ? resolve() : undecided.waiting.push(resolve));
  }

  #decide(keys: readonly string[]): void {
    for (const key of keys) {
      const undecided = this.#undecided.get(key);
      if (undecided === undefined) continue;
      if (--undecided.count === 0) this.#undecided.delete(key);
      for (const wake of undecided.waiting.splice(0)) wake();
    }
  }

  #requireUnrefused(key: string, now: number): void {
    const refusal = this.#refused.get(key);
    if (refusal === undefined || now >= refusal.untilMs) return;
    throw refused(Math.max(1, Math.ceil((refusal.windowEndsAtMs - now) / 1_000)));
  }

  #noteRefusal(key: string, now: number, ttlSeconds: number): void {
    const windowEndsAtMs = now + ttlSeconds * 1_000;
    this.#refused.delete(key);
    if (this.#refused.size >= REFUSALS_MAX) this.#refused.delete(this.#refused.keys().next().value!);
    this.#refused.set(key, { untilMs: Math.min(now + REFUSAL_MS, windowEndsAtMs), windowEndsAtMs });
  }

  async #increment(key: string, by: number) {
    try {
      return await this.#kv.increment(key, { by, ttlSeconds: WINDOW_SECONDS });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== "unavailable") throw error;
      return await this.#local.increment(key, { by, ttlSeconds: WINDOW_SECONDS });
    }
  }
}

function refused(retryAfterSeconds: number): ServiceError {
  return new ServiceError("rate_limited", "Cannot check the key: too many attempts have failed", {
    headers: { "retry-after": String(retryAfterSeconds) },
  });
}

/** An attempt that has begun and is not decided yet. */
export interface Attempt {
  /** The attempt failed: it stays counted. */
  fail(): void;
  /** The attempt succeeded, or could not be checked: it does not count. */
  giveBack(): Promise<void>;
}
