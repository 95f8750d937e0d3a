/**
 * Who asks for which workspaces lately: whether one is worth the hot tier's memory, and whether it is worth more than
 * another. Counts age by halves, so that yesterday's use does not weigh for ever; what nobody has asked for in minutes counts
 * nothing.
 */

interface Asked {
  /** Requests, halved from time to time. */
  count: number;
  atMs: number;
  /** What it took in memory when it was last loaded or measured; 0: not known. */
  bytes: number;
}

/** Requests from which a workspace is worth loading: one alone costs less without. */
export const ADMITTED_FROM = 2;
/** A count says who is asked for more than whom, not how much more. */
const COUNT_MAX = 15;
/** All counts are halved after this many requests for each workspace that is known. */
const AGED_AFTER = 10;
const AGED_AFTER_MIN = 160;
const IDLE_MS = 5 * 60_000;
const KEYS_MAX = 10_000;

export class Demand {
  /** In the order of use, the least recent first. */
  readonly #asked = new Map<string, Asked>();
  #sinceAged = 0;

  /** Counts a request; answers how often the workspace was asked for lately. */
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

  /** How often it was asked for lately. */
  of(key: string, nowMs: number): number {
    const asked = this.#asked.get(key);
    return asked === undefined ? 0 : countOf(asked, nowMs);
  }

  /** Whether one may take another's place: clearly more asked for, so that two alike do not push each other out. */
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
