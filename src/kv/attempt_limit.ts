/** The limit on failed authentication. Decisions §1 "Rate limits", Interface §5. */
import { ServiceError } from "../errors.ts";
import { networkOf } from "../schema/cidr.ts";
import type { KeyValue } from "./key_value.ts";
import { MemoryKeyValue } from "./memory.ts";

const WINDOW_SECONDS = 60;
/** How long a refusal is remembered, in milliseconds. */
const REFUSAL_MS = 1_000;
/** Refusals remembered; beyond it the oldest go. */
const REFUSALS_MAX = 10_000;

export interface AttemptLimits {
  /** Failures a minute from one source. Default 10. */
  readonly perSource?: number;
  /** Failures a minute of one source on one public key id. Default 5. */
  readonly perSourceAndKey?: number;
  /** Failures a minute on one public key id from all sources together: what they may cost of hashes. Default 30, fewer than wait for a thread. */
  readonly perKey?: number;
}

/**
 * Counts failed attempts in windows of a minute, starting with the first. An attempt counts as failed from its start until
 * it is given back, so that attempts at the same time cannot exceed the limit together. When the store does not answer,
 * this process counts for itself.
 *
 * It stands before the expensive check and after what is known of tokens that were verified: a key that is in use is not
 * shut out by somebody who tries its id, and another one only by many sources at once.
 */
export class AttemptLimit {
  readonly #kv: KeyValue;
  readonly #local: KeyValue;
  readonly #clock: () => Date;
  readonly #perSource: number;
  readonly #perSourceAndKey: number;
  readonly #perKey: number;
  /**
   * What was refused a moment ago, and when its window ends: a flood does not ask the store, which may be a network away,
   * for each of its requests.
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

  /**
   * Notes that an attempt begins.
   * @param source the address of the caller; of an IPv6 address its network of 64 bits counts
   * @throws ServiceError `rate_limited` with `retry-after` when the source, the source on the key, or the key has failed
   *   too often
   */
  async begin(source: string, publicId: string): Promise<Attempt> {
    const network = networkOf(source);
    const bounds = [
      [`attempt:source:${network}`, this.#perSource],
      [`attempt:pair:${network}:${publicId}`, this.#perSourceAndKey],
      [`attempt:key:${publicId}`, this.#perKey],
    ] as const;
    // One after the other: a source that is shut out cannot use up the attempts of somebody's key.
    for (const [key, max] of bounds) await this.#count(key, max);
    return { giveBack: () => this.#giveBack(bounds.map(([key]) => key)) };
  }

  async #count(key: string, max: number): Promise<void> {
    const now = this.#clock().getTime();
    const refusal = this.#refused.get(key);
    if (refusal !== undefined && now < refusal.untilMs) {
      throw refused(Math.max(1, Math.ceil((refusal.windowEndsAtMs - now) / 1_000)));
    }
    const { value, ttlSeconds } = await this.#increment(key, 1);
    if (value <= max) return;
    const windowEndsAtMs = now + ttlSeconds * 1_000;
    this.#refused.delete(key);
    if (this.#refused.size >= REFUSALS_MAX) this.#refused.delete(this.#refused.keys().next().value!);
    this.#refused.set(key, { untilMs: Math.min(now + REFUSAL_MS, windowEndsAtMs), windowEndsAtMs });
    throw refused(ttlSeconds);
  }

  async #giveBack(keys: readonly string[]): Promise<void> {
    await Promise.all(keys.map((key) => this.#increment(key, -1)));
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
  return new ServiceError("rate_limited", "Cannot check the key: too many attempts failed", {
    headers: { "retry-after": String(retryAfterSeconds) },
  });
}

/** An attempt that began. It counts as failed unless it is given back: it succeeded, or the check could not be made. */
export interface Attempt {
  giveBack(): Promise<void>;
}
