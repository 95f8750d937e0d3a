/** The rate limit of API keys: a token bucket for each, which all processes share if there is Redis. */
import { ServiceError } from "../errors.ts";
import type { BucketState, KeyValue } from "./key_value.ts";
import { MemoryKeyValue } from "./memory.ts";

export interface RateLimitSetting {
  /** Requests per minute in the long run; 0 = no limit. */
  readonly perMinute: number;
  /** Requests that may come in a burst. */
  readonly burst: number;
}

export class RateLimit {
  readonly #kv: KeyValue;
  readonly #local: KeyValue;

  constructor(kv: KeyValue, clock: () => Date = () => new Date()) {
    this.#kv = kv;
    this.#local = new MemoryKeyValue({ clock });
  }

  /**
   * Takes `cost` tokens, at most `burst`, from the bucket of `name`; if the store does not answer, this process counts
   * for itself.
   */
  async take(name: string, { perMinute, burst }: RateLimitSetting, cost = 1): Promise<BucketState> {
    const options = { capacity: burst, refillPerSecond: perMinute / 60, cost };
    const key = `rate:${name}:${perMinute}:${burst}`;
    try {
      return await this.#kv.takeTokens(key, options);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== "unavailable") throw error;
      return await this.#local.takeTokens(key, options);
    }
  }
}
