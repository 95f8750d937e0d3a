/**
 * Loads workspaces into the hot tier in the background, one load of a workspace at a time. Nobody waits for a load, and
 * no request's deadline bounds one.
 */
import { createContext, type Deps, type OperationContext } from "../../../context.ts";
import { hotLoadFailed } from "../../../telemetry/events.ts";
import { type HotEntries, type HotWorkspace, SharedLook } from "./entries.ts";
import { LinkLooks } from "./links.ts";
import { loadIndex, VectorLooks } from "./rows.ts";

export interface HotTierOptions {
  /** The most memory of all workspaces together, estimated. 0: off. */
  readonly bytesMax: number;
  /** The most turns and units of one workspace. 0: off. */
  readonly unitsMax: number;
}

/** The most loads at the same time; for further workspaces a later request starts the load. */
const LOADS_MAX = 2;
const RETRY_MS = 1_000;
/** If the tier could not hold a workspace as a whole, nobody tries again for this time. */
const PARTIAL_MS = 60_000;
const PARTIAL_KEYS_MAX = 10_000;

export class HotLoader implements AsyncDisposable {
  readonly #deps: Deps;
  readonly #options: HotTierOptions;
  readonly #entries: HotEntries;
  /** The running loads, by workspace. */
  readonly #running = new Map<string, Promise<void>>();
  /** Workspaces that the tier could not hold as a whole, with the time of the attempt. */
  readonly #partial = new Map<string, number>();
  /** After a failed load, no other starts before this time. */
  #pausedUntil = 0;

  constructor(deps: Deps, options: HotTierOptions, entries: HotEntries) {
    this.#deps = deps;
    this.#options = options;
    this.#entries = entries;
  }

  /**
   * Starts to load a workspace, if it is worth its memory and a load can start now.
   * @param gap how many losses of notifications the tier has counted
   */
  admit(place: Pick<HotWorkspace, "key" | "workspaceId" | "clearance" | "isForFullRecall">, gap: number): void {
    const bytes = this.#entries.bytesOf(place.key);
    if (performance.now() < this.#pausedUntil || this.#entries.listVictims(place.key, bytes) === undefined) return;
    const entry: HotWorkspace = {
      ...place,
      index: undefined,
      seq: -1,
      gap,
      work: undefined,
      whole: { seq: -1, is: false },
      look: new SharedLook(),
      looks: new VectorLooks(),
      linkLooks: new LinkLooks(),
      written: new Map(),
    };
    if (this.start(entry, gap)) this.#entries.add(entry);
  }

  /**
   * Starts to load an entry in the background: one load per workspace, and at most `LOADS_MAX` in all. @returns false
   * when no load can start now
   */
  start(entry: HotWorkspace, gap: number): boolean {
    const { workspaceId } = entry;
    if (this.#deps.stopping.aborted || this.#running.size >= LOADS_MAX || this.#running.has(workspaceId)) return false;
    const loading = this.#fill(entry, gap).catch((error) => {
      this.#pausedUntil = performance.now() + RETRY_MS;
      if (!this.#deps.stopping.aborted) {
        hotLoadFailed(this.#deps.telemetry.log, { workspaceId, error, retryMs: RETRY_MS });
      }
    }).finally(() => {
      this.#running.delete(workspaceId);
      if (entry.index === undefined) this.#entries.drop(entry);
    });
    this.#running.set(workspaceId, loading);
    return true;
  }

  /** Whether a recent attempt found that the tier cannot hold a workspace as a whole. */
  isPartial(key: string): boolean {
    return (this.#partial.get(key) ?? -Infinity) > performance.now() - PARTIAL_MS;
  }

  /** Notes that the tier cannot hold a workspace as a whole. */
  notePartial(key: string): void {
    if (this.#partial.size >= PARTIAL_KEYS_MAX) this.#partial.clear();
    this.#partial.set(key, performance.now());
  }

  /** Waits for the running loads. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#running.values());
  }

  async #fill(entry: HotWorkspace, gap: number): Promise<void> {
    const loaded = await loadIndex(this.#loadContext(entry), {
      ...this.#options,
      isForFullRecall: entry.isForFullRecall,
      isWorth: (bytes) => {
        this.#entries.noteBytes(entry.key, bytes);
        return this.#entries.listVictims(entry.key, bytes) !== undefined;
      },
    });
    if (loaded === undefined) {
      if (entry.isForFullRecall) this.notePartial(entry.key);
      return;
    }
    const { bytes } = loaded.index;
    this.#entries.noteBytes(entry.key, bytes);
    const victims = this.#entries.listVictims(entry.key, bytes);
    if (victims === undefined) return;
    for (const victim of victims) this.#entries.drop(victim);
    entry.index = loaded.index;
    entry.seq = loaded.seq;
    entry.whole.seq = -1;
    this.#partial.delete(entry.key);
    if (!loaded.index.isComplete) this.notePartial(entry.key);
    entry.gap = gap;
  }

  /**
   * The context of a load. No caller requested it, so it waits behind callers' requests and counts against no key's
   * limits.
   */
  #loadContext({ workspaceId, clearance }: HotWorkspace): OperationContext {
    return createContext(
      this.#deps,
      { actor: "system:hot", workspaceId, scopes: new Set(), maxSensitivity: clearance },
      { requestId: "hot", operationId: "loadHot", signal: this.#deps.stopping },
    );
  }
}
