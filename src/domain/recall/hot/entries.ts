/**
 * Decides which workspaces the hot tier holds, each at the clearances that callers use, and which of them give way to
 * others. When memory is short, a workspace evicts another only if callers ask for it clearly more often; otherwise
 * callers who go through many workspaces in turn would cause a load with every request.
 */
import type { LookAtIndex } from "../../../db/queries/hot.ts";
import type { Sensitivity } from "../../../schema/common.ts";
import type { HotIndex } from "./index.ts";
import type { LinkLooks } from "./links.ts";
import type { HotRows, VectorLooks } from "./rows.ts";

/** One workspace at one clearance. */
export interface HotWorkspace {
  readonly key: string;
  readonly workspaceId: string;
  readonly clearance: Sensitivity;
  /** Whether it was loaded for full recalls, which cannot use a part of the workspace. */
  readonly isForFullRecall: boolean;
  /** Undefined while the index is being loaded. */
  index: HotIndex | undefined;
  /** The position in the feed that the index has reached. */
  seq: number;
  /** How many losses of notifications the tier had counted when the entry last read the end of the feed. */
  gap: number;
  /** The running read of changed rows. */
  work: Promise<void> | undefined;
  /** `is`: whether the index holds the whole workspace. `seq`: where the feed ended when that was last checked. */
  readonly whole: { seq: number; is: boolean };
  readonly look: SharedLook<LookAtIndex>;
  readonly looks: VectorLooks;
  readonly linkLooks: LinkLooks;
  /**
   * This process's writes beyond the position in the feed that the index has reached, by the first sequence number of
   * each commit.
   */
  readonly written: Map<number, { readonly last: number; readonly rows: HotRows }>;
}

/** An index holds what one clearance may see, so each clearance has its own. */
export function keyOf({ workspaceId, maxSensitivity }: { workspaceId: string; maxSensitivity: Sensitivity }): string {
  return `${workspaceId} ${maxSensitivity}`;
}

export class HotEntries {
  readonly #bytesMax: number;
  /** The entries, the least recently used first. */
  readonly #entries = new Map<string, HotWorkspace>();
  readonly #demand = new Demand();
  /** The latest position in the feed of each workspace that this process has heard of. */
  readonly #heads = new Map<string, number>();

  /** @param bytesMax memory of all entries together, estimated */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get(key: string): HotWorkspace | undefined {
    return this.#entries.get(key);
  }

  /** Counts a request for a workspace. @returns its entry, and whether it has enough requests to be loaded */
  use(key: string): { readonly entry: HotWorkspace | undefined; readonly isWanted: boolean } {
    const asked = this.#demand.note(key, performance.now());
    const entry = this.#entries.get(key);
    if (entry !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
    }
    return { entry, isWanted: asked >= ADMITTED_FROM };
  }

  add(entry: HotWorkspace): void {
    this.#entries.set(entry.key, entry);
  }

  drop({ key, workspaceId }: HotWorkspace): void {
    this.#entries.delete(key);
    if (!this.#isHeld(workspaceId)) this.#heads.delete(workspaceId);
  }

  /** Units held by workspace. */
  sizes(): { workspaceId: string; units: number }[] {
    const sizes = new Map<string, number>();
    for (const { workspaceId, index } of this.#entries.values()) {
      if (index !== undefined) sizes.set(workspaceId, Math.max(sizes.get(workspaceId) ?? 0, index.size));
    }
    return [...sizes].map(([workspaceId, units]) => ({ workspaceId, units }));
  }

  /** The feed of a workspace has reached `seq`. */
  noteHead(workspaceId: string, seq: number): void {
    // For a workspace that is not held, no head is needed: loading it reads the head.
    if (!Number.isSafeInteger(seq) || !this.#isHeld(workspaceId)) return;
    if (seq > this.headOf(workspaceId)) this.#heads.set(workspaceId, seq);
  }

  /** Forgets the known head of every feed. */
  forgetHeads(): void {
    this.#heads.clear();
  }

  /** The latest sequence number in a workspace's feed that this process has heard of; 0 if it has heard of none. */
  headOf(workspaceId: string): number {
    return this.#heads.get(workspaceId) ?? 0;
  }

  /** The bytes of a workspace's index when it was last loaded or estimated; 0 if unknown. */
  bytesOf(key: string): number {
    return this.#demand.bytesOf(key);
  }

  noteBytes(key: string, bytes: number): void {
    this.#demand.noteBytes(key, bytes);
  }

  /**
   * The entries to evict for an index of this many bytes; undefined when those that `key` may evict do not free enough.
   */
  listVictims(key: string, bytes: number): HotWorkspace[] | undefined {
    const now = performance.now();
    let excess = this.#sumBytes() + bytes - this.#bytesMax;
    const victims: HotWorkspace[] = [];
    const coldest = this.#listColdest(key);
    for (const entry of coldest) {
      if (excess <= 0) break;
      if (!this.#demand.outweighs(key, entry.key, now)) return undefined;
      victims.push(entry);
      excess -= entry.index!.bytes;
    }
    // With no other entry left to evict, the index is loaded as far as it fits.
    return excess <= 0 || victims.length === coldest.length ? victims : undefined;
  }

  /** Evicts other entries until an entry that has grown fits. */
  trim(grown: HotWorkspace): void {
    let excess = this.#sumBytes() - this.#bytesMax;
    if (excess <= 0) return;
    for (const entry of this.#listColdest(grown.key)) {
      if (excess <= 0) return;
      excess -= entry.index!.bytes;
      this.drop(entry);
    }
  }

  #isHeld(workspaceId: string): boolean {
    for (const entry of this.#entries.values()) if (entry.workspaceId === workspaceId) return true;
    return false;
  }

  #sumBytes(): number {
    let bytes = 0;
    for (const { index } of this.#entries.values()) bytes += index?.bytes ?? 0;
    return bytes;
  }

  /** The entries that can be evicted, the least asked for first, and among equals the least recently used first. */
  #listColdest(but: string): HotWorkspace[] {
    const now = performance.now();
    return [...this.#entries.values()].filter(({ key, index, work }) => key !== but && index !== undefined && !work)
      .map((entry) => ({ entry, asked: this.#demand.of(entry.key, now) }))
      .sort((a, b) => a.asked - b.asked).map(({ entry }) => entry);
  }
}

interface Asked {
  /** Requests, halved from time to time. */
  count: number;
  atMs: number;
  /** Bytes of memory that its index took when it was last loaded or estimated; 0 when not known. */
  bytes: number;
}

/** A workspace is loaded from this many requests on: for a single one, a load costs more than it saves. */
const ADMITTED_FROM = 2;
/** Counts stop here, because they only rank workspaces. */
const COUNT_MAX = 15;
/** All counts are halved after this many requests per known workspace. */
const AGED_AFTER = 10;
const AGED_AFTER_MIN = 160;
const IDLE_MS = 5 * 60_000;
const KEYS_MAX = 10_000;

/**
 * Counts the recent requests for each workspace, to decide whether it is worth the hot tier's memory, and whether it is
 * worth more than another. All counts are halved from time to time, so that old use fades; a workspace that was not
 * asked for in `IDLE_MS` counts 0.
 */
class Demand {
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

/**
 * A read of the database that several requests share. A request that comes during one waits for the next, because the
 * running one may have begun before changes that the request must see.
 */
export class SharedLook<Found> {
  #present: Promise<Found> | undefined;
  #next: Promise<Found> | undefined;

  /** Starts a read, or shares one that begins after this call. */
  take(look: () => Promise<Found>): Promise<Found> {
    const start = () => {
      this.#next = undefined;
      const present: Promise<Found> = look().finally(() => {
        if (this.#present === present) this.#present = undefined;
      });
      this.#present = present;
      return present;
    };
    if (this.#present === undefined) return start();
    return this.#next ??= this.#present.then(start, start);
  }
}
