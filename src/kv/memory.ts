/** The key-value port in the process's own memory: for one process, or as a local fallback. */
import { ServiceError } from "../errors.ts";
import {
  type BucketOptions,
  type BucketState,
  type Counter,
  describeBucket,
  type IncrementOptions,
  type KeyValue,
  ROUNDING,
  type SetOptions,
} from "./key_value.ts";

interface StoredValue {
  readonly expiresAtMs: number;
  readonly text?: string;
  readonly count?: number;
  readonly bucket?: { readonly tokens: number; readonly atMs: number };
}

export interface MemoryKeyValueOptions {
  readonly clock?: () => Date;
  /** Entries of each kind; default 100,000. */
  readonly entriesMax?: number;
}

/** The shortest time between two searches of a full store for expired claims, in milliseconds. */
const SWEEP_INTERVAL_MS = 1_000;

/**
 * A key-value store in two bounded maps. Entries that were set with `onlyIfAbsent` are claims that others rely on, so if a
 * new claim does not fit, the store refuses it. Other entries are evicted, the least recently written first.
 */
export class MemoryKeyValue implements KeyValue {
  readonly #claims = new Map<string, StoredValue>();
  readonly #others = new Map<string, StoredValue>();
  readonly #clock: () => Date;
  readonly #entriesMax: number;
  #sweptAtMs = -Infinity;

  constructor({ clock = () => new Date(), entriesMax = 100_000 }: MemoryKeyValueOptions = {}) {
    this.#clock = clock;
    this.#entriesMax = entriesMax;
  }

  /** The number of entries, including expired ones; for metrics. */
  get size(): number {
    return this.#claims.size + this.#others.size;
  }

  async get(key: string): Promise<string | undefined> {
    const entry = this.#find(key);
    return entry?.count === undefined ? entry?.text : String(entry.count);
  }

  async set(key: string, value: string, { ttlSeconds, onlyIfAbsent = false }: SetOptions): Promise<boolean> {
    const entry = { text: value, expiresAtMs: this.#now() + ttlSeconds * 1_000 };
    if (!onlyIfAbsent) {
      this.#keep(key, entry);
      return true;
    }
    if (this.#find(key) !== undefined) return false;
    this.#claim(key, entry);
    return true;
  }

  async delete(key: string): Promise<boolean> {
    const isThere = this.#find(key) !== undefined;
    this.#claims.delete(key);
    this.#others.delete(key);
    return isThere;
  }

  async increment(key: string, { ttlSeconds, by = 1 }: IncrementOptions): Promise<Counter> {
    const now = this.#now();
    const { count = 0, expiresAtMs = now + ttlSeconds * 1_000 } = this.#find(key) ?? {};
    this.#keep(key, { count: count + by, expiresAtMs });
    return { value: count + by, ttlSeconds: Math.ceil((expiresAtMs - now) / 1_000) };
  }

  async takeTokens(key: string, options: BucketOptions): Promise<BucketState> {
    const { capacity, refillPerSecond, cost = 1 } = options;
    const now = this.#now();
    const last = this.#find(key)?.bucket ?? { tokens: capacity, atMs: now };
    const atMs = Math.max(now, last.atMs);
    const filled = Math.min(capacity, last.tokens + (atMs - last.atMs) / 1_000 * refillPerSecond);
    const isAllowed = filled + ROUNDING >= cost;
    const tokens = isAllowed ? Math.max(0, filled - cost) : filled;
    // A full bucket equals a missing one, so it is stored only while it fills.
    const expiresAtMs = atMs + (capacity - tokens) / refillPerSecond * 1_000;
    this.#keep(key, { bucket: { tokens, atMs }, expiresAtMs });
    return describeBucket(tokens, isAllowed, options);
  }

  async ping(): Promise<void> {}

  [Symbol.dispose](): void {
    this.#claims.clear();
    this.#others.clear();
  }

  #now(): number {
    return this.#clock().getTime();
  }

  #find(key: string): StoredValue | undefined {
    const now = this.#now();
    for (const entries of [this.#others, this.#claims]) {
      const entry = entries.get(key);
      if (entry === undefined) continue;
      if (entry.expiresAtMs > now) return entry;
      entries.delete(key);
    }
  }

  /** Writes an entry that may be evicted for a newer one. */
  #keep(key: string, entry: StoredValue): void {
    this.#claims.delete(key);
    this.#others.delete(key);
    if (this.#others.size >= this.#entriesMax) this.#others.delete(this.#others.keys().next().value!);
    this.#others.set(key, entry);
  }

  #claim(key: string, entry: StoredValue): void {
    if (this.#claims.size >= this.#entriesMax) this.#sweepClaims();
    if (this.#claims.size >= this.#entriesMax) {
      throw new ServiceError("unavailable", "Cannot store the key: the key-value store is full");
    }
    this.#claims.set(key, entry);
  }

  #sweepClaims(): void {
    const now = this.#now();
    if (now - this.#sweptAtMs < SWEEP_INTERVAL_MS) return;
    this.#sweptAtMs = now;
    for (const [key, entry] of this.#claims) if (entry.expiresAtMs <= now) this.#claims.delete(key);
  }
}
