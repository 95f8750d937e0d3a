/**
 * Counts the recent requests for each workspace, to decide whether it is worth the hot tier's memory, and whether it is
 * worth more than another. All counts are halved from time to time, so that old use fades; a workspace that was not
 * asked for in `IDLE_MS` counts 0.
 */

interface Asked {
  /** Requests, halved from time to time. */
  count: number;
  atMs: number;
  /** Bytes of memory that its index took when it was last loaded or estimated; 0 when not known. */
  bytes: number;
}

/** A workspace is loaded from so many requests on: for a single one, a load costs more than it saves. */
export const ADMITTED_FROM = 2;
/** Counts stop here, because they only rank workspaces. */
const COUNT_MAX = 15;
/** All counts are halved after this many requests per known workspace. */
const AGED_AFTER = 10;
const AGED_AFTER_MIN = 160;
const IDLE_MS = 5 * 60_000;
const KEYS_MAX = 10_000;

export class Demand {
  /** The workspaces, the least recently used first. */
  readonly #asked = new Map<string, Asked>();
  #sinceAged = 0;

  /** Counts a request. @returns how many recent requests the workspace has */
  note(key: string, nowMs: number): number {
    const asked = this.#asked.get(key) ?? { count: 0, atMs: nowMs, bytes: 0 };
    this.#asked.delete(key);
    this.#asked.set(key, asked);
    asked.count = Math.min(COUNT_MAX, countOf(asked, nowMs) + 1);
    asked.atMs = nowMs;
    if (this.#asked.size > KEYS_MAX) this.#asked.delete(this.#asked.keys().next().value!);
    if (++this.#sinceAged >= Math.max(AGED_AFTER_MIN, AGED_AFTER * this.#asked.size)) this.#age();
    return asked.count;
  }

  /** How many recent requests a workspace has. */
  of(key: string, nowMs: number): number {
    const asked = this.#asked.get(key);
    return asked === undefined ? 0 : countOf(asked, nowMs);
  }

  /**
   * Whether one workspace may evict another: it must be asked for clearly more often, so that two with equal use do not
   * evict each other in turn.
   */
  outweighs(key: string, other: string, nowMs: number): boolean {
    return this.of(key, nowMs) > 2 * this.of(other, nowMs) + 1;
  }

  bytesOf(key: string): number {
    return this.#asked.get(key)?.bytes ?? 0;
  }

  noteBytes(key: string, bytes: number): void {
    const asked = this.#asked.get(key);
    if (asked !== undefined) asked.bytes = bytes;
  }

  #age(): void {
    this.#sinceAged = 0;
    for (const asked of this.#asked.values()) asked.count >>= 1;
  }
}

function countOf({ count, atMs }: Asked, nowMs: number): number {
  return nowMs - atMs > IDLE_MS ? 0 : count;
}
