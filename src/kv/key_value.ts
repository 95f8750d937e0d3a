/**
 * The key-value port: short-lived state that several processes share if Redis is configured, and that one process keeps
 * for itself otherwise. Replay guards, rate limits, attempt limits and caches use it; nothing here is the only copy of
 * lasting data.
 *
 * Every method throws ServiceError `unavailable` when the store cannot answer in time. The caller decides what that
 * means: a replay guard refuses (nothing proves that the token is new), a rate limit goes on with a local count.
 */
export interface KeyValue extends Disposable {
  get(key: string): Promise<string | undefined>;

  /**
   * Sets a value for `ttlSeconds`; returns whether it was set. With `onlyIfAbsent` exactly one of any number of
   * concurrent callers sets it, and it is never dropped before its time.
   */
  set(key: string, value: string, options: SetOptions): Promise<boolean>;

  /** Returns whether the key existed. */
  delete(key: string): Promise<boolean>;

  /** Adds `by` (default 1) to a counter; a new counter starts at 0 and lives `ttlSeconds` from its first change. */
  increment(key: string, options: IncrementOptions): Promise<Counter>;

  /** Takes tokens from a bucket, in one step for all processes. A new bucket is full. */
  takeTokens(key: string, options: BucketOptions): Promise<BucketState>;

  /** Resolves when the store answers. */
  ping(): Promise<void>;
}

export interface SetOptions {
  /** Whole seconds, at least 1. */
  readonly ttlSeconds: number;
  readonly onlyIfAbsent?: boolean;
}

export interface IncrementOptions {
  /** Whole seconds, at least 1. */
  readonly ttlSeconds: number;
  /** Whole number, may be negative. Default 1. */
  readonly by?: number;
}

export interface Counter {
  readonly value: number;
  /** Seconds until the counter starts again, rounded up. */
  readonly ttlSeconds: number;
}

export interface BucketOptions {
  /** Tokens in a full bucket: the burst. */
  readonly capacity: number;
  /** More than 0; may be a fraction. */
  readonly refillPerSecond: number;
  /** Tokens to take, at most `capacity`; 0 only reads. Default 1. */
  readonly cost?: number;
}

export interface BucketState {
  readonly isAllowed: boolean;
  /** Whole tokens that are left. */
  readonly remaining: number;
  /** Seconds until the same request would be allowed, rounded up; 0 when it is. */
  readonly retryAfterSeconds: number;
  /** Seconds until the bucket is full again, rounded up. */
  readonly fullInSeconds: number;
}

/** A refill in floating point may end a hair below a whole token. */
export const ROUNDING = 1e-9;

/** Describes a bucket after an attempt; the stores share it, so that they answer alike. */
export function describeBucket(tokens: number, isAllowed: boolean, options: BucketOptions): BucketState {
  const { capacity, refillPerSecond, cost = 1 } = options;
  const secondsTo = (wanted: number) => Math.max(0, Math.ceil((wanted - tokens) / refillPerSecond - ROUNDING));
  return {
    isAllowed,
    remaining: Math.floor(tokens + ROUNDING),
    retryAfterSeconds: isAllowed ? 0 : secondsTo(cost),
    fullInSeconds: secondsTo(capacity),
  };
}
