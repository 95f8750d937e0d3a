/**
 * The hot tier's memory: which workspaces are held at which clearance, how they are loaded, and how they follow what is
 * written. A read costs no database round trip unless something was written since.
 *
 * Every commit moves its workspace's feed on, and this process hears of it: of its own at once, of others' by
 * notification. A read that is behind first reads the changed rows. After a lost connection the feed's head is asked.
 */
import { createContext, type OperationContext } from "../../context.ts";
import { readFeedHead } from "../../db/queries/changes.ts";
import * as embeddings from "../../db/queries/embeddings.ts";
import * as queries from "../../db/queries/hot.ts";
import { readEntityNames, readEntityRoots } from "../../db/queries/named.ts";
import { KINDS, type Sensitivity } from "../../schema/common.ts";
import { HotIndex } from "./hot_index.ts";
import { perService } from "../common/per_service.ts";

export interface HotTierOptions {
  /** Memory of all workspaces together, estimated. 0: off. */
  readonly bytesMax: number;
  /** Turns and units of one workspace. 0: off. */
  readonly unitsMax: number;
}

interface Entry {
  readonly workspaceId: string;
  readonly clearance: Sensitivity;
  index: HotIndex | undefined;
  /** The feed's place that the index has reached. */
  seq: number;
  /** The last gap that was looked into. */
  gap: number;
  work: Promise<void> | undefined;
}

/** With more changes than this to catch up with, loading anew is faster. */
const CHANGES_MAX = 5_000;
/** How far a workspace may grow beyond its bound by following the feed before it is loaded anew. */
const GROWTH = 1.1;
/** Longest stretch of work between two turns of the event loop. */
const SLICE_MS = 4;
const TYPES = Object.keys(KINDS);

/** The hot tier of a service. */
export const hotTierOf = perService(({ config }) => new HotTier(config.hot));

export class HotTier {
  readonly #options: HotTierOptions;
  /** In the order of use, the least recent first. */
  readonly #entries = new Map<string, Entry>();
  /** The latest place in each workspace's feed that this process has heard of. */
  readonly #heads = new Map<string, number>();
  #gap = 0;

  constructor(options: HotTierOptions) {
    this.#options = options;
  }

  get enabled(): boolean {
    return this.#options.bytesMax > 0 && this.#options.unitsMax > 0;
  }

  /** The feed of a workspace has reached `seq`. */
  noteSeq(workspaceId: string, seq: number): void {
    // Of a workspace that is not held nothing needs to be known: loading it asks for the head.
    if (!Number.isSafeInteger(seq) || !this.#isHeld(workspaceId)) return;
    if (seq > (this.#heads.get(workspaceId) ?? 0)) this.#heads.set(workspaceId, seq);
  }

  /** Notifications may have been lost: every workspace's head is asked for before it is read again. */
  noteGap(): void {
    this.#gap++;
  }

  /** Units held by workspace, for the metrics. */
  sizes(): { workspaceId: string; units: number }[] {
    const sizes = new Map<string, number>();
    for (const { workspaceId, index } of this.#entries.values()) {
      sizes.set(workspaceId, Math.max(sizes.get(workspaceId) ?? 0, index?.size ?? 0));
    }
    return [...sizes].map(([workspaceId, units]) => ({ workspaceId, units }));
  }

  /**
   * The workspace's index at the context's clearance: whatever depends on other texts (frequencies, near spellings) is
   * made of what the reader may see. It is as new as the last commit that this process knows of. Loaded when
   * it is not held; concurrent readers wait for the same work.
   */
  async acquire(ctx: OperationContext): Promise<HotIndex> {
    const entry = this.#entryOf(ctx);
    const head = this.#heads.get(ctx.workspaceId) ?? 0;
    const gap = this.#gap;
    // Up to the state at the time of the call: under constant writing a reader would otherwise never be served.
    while (entry.index === undefined || entry.seq < head || entry.gap < gap) {
      entry.work ??= this.#refresh(ctx, entry).finally(() => entry.work = undefined);
      await entry.work;
    }
    return entry.index;
  }

  #isHeld(workspaceId: string): boolean {
    for (const entry of this.#entries.values()) if (entry.workspaceId === workspaceId) return true;
    return false;
  }

  #entryOf({ workspaceId, maxSensitivity }: OperationContext): Entry {
    const key = `${workspaceId} ${maxSensitivity}`;
    const entry = this.#entries.get(key) ??
      { workspaceId, clearance: maxSensitivity, index: undefined, seq: -1, gap: this.#gap, work: undefined };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  async #refresh(ctx: OperationContext, entry: Entry): Promise<void> {
    // Not bound to the one caller that came first: others wait for the same work.
    const { requestId, operationId } = ctx;
    const request = { requestId, operationId, signal: ctx.deps.stopping };
    const own = createContext(ctx.deps, { ...ctx, maxSensitivity: entry.clearance }, request);
    // The feed is followed at the highest clearance, ids only: a row that was reclassified beyond the entry's clearance
    // has to leave it.
    const feed = createContext(ctx.deps, { ...ctx, maxSensitivity: "restricted" }, request);
    const gap = this.#gap;
    if (entry.index === undefined) await this.#load(own, entry);
    else await this.#follow(feed, own, entry, entry.index);
    entry.gap = gap;
    this.#evict(entry);
  }

  async #load(ctx: OperationContext, entry: Entry): Promise<void> {
    const { unitsMax } = this.#options;
    const { seq, units, turns, names, roots } = await ctx.tx(async (tx) => {
      // The head first: what is committed after it is found again in the feed.
      const seq = await readFeedHead(tx);
      const [units, turns, names, roots] = await Promise.all([
        queries.readHotUnits(tx, Math.ceil(unitsMax / 4), unitsMax),
        queries.readHotTurns(tx, unitsMax),
        readEntityNames(tx, { limit: 2 * unitsMax }),
        readEntityRoots(tx, { limit: unitsMax }),
      ]);
      return { seq, units, turns, names, roots };
    }, { readOnly: true });
    const index = new HotIndex();
    index.names.renewEntities([], names);
    index.names.renewRoots([], roots);
    const slice = new Slice();
    for (const row of this.#choose(units, turns).sort((a, b) => a.docNo - b.docNo)) {
      index.put(row);
      await slice.pause();
    }
    await this.#readVectors(ctx, index, [...index.documents.keys()]);
    entry.index = index;
    entry.seq = seq;
  }

  /** The rows that fit: pinned, then used, then the latest; half of the capacity is for units, half for turns. */
  #choose(units: readonly queries.HotRow[], turns: readonly queries.HotRow[]): queries.HotRow[] {
    const { bytesMax, unitsMax } = this.#options;
    const worth = (row: queries.HotRow) => (row.pinned ? 2 : row.useCount > 0 ? 1 : 0);
    const time = (row: queries.HotRow) => (row.updatedAt ?? row.createdAt).getTime();
    const sides = [
      units.toSorted((a, b) => worth(b) - worth(a) || time(b) - time(a) || b.docNo - a.docNo),
      turns.toSorted((a, b) => b.docNo - a.docNo),
    ];
    const chosen: queries.HotRow[] = [];
    let bytes = 0;
    for (let place = 0; place < Math.max(...sides.map((side) => side.length)); place++) {
      for (const row of sides.flatMap((side) => side[place] ?? [])) {
        // A text takes about its length in postings again.
        bytes += 4 * row.text.length + 2_500;
        if (chosen.length >= unitsMax || bytes > bytesMax) return chosen;
        chosen.push(row);
      }
    }
    return chosen;
  }

  async #follow(feed: OperationContext, own: OperationContext, entry: Entry, index: HotIndex): Promise<void> {
    const { head, ids } = await feed.tx(async (tx) => ({
      head: await readFeedHead(tx),
      ids: await queries.readChangedIds(tx, entry.seq, TYPES, CHANGES_MAX),
    }), { readOnly: true });
    if (ids.length >= CHANGES_MAX || index.size > GROWTH * this.#options.unitsMax) return await this.#load(own, entry);
    const changed = [...new Set(ids)];
    if (changed.length > 0) {
      const [rows, names, roots] = await own.tx((tx) =>
        Promise.all([
          queries.readHotRows(tx, changed),
          readEntityNames(tx, { ids: changed }),
          readEntityRoots(tx, { ids: changed }),
        ]), { readOnly: true });
      for (const id of changed) index.remove(id);
      index.names.renewEntities(changed, names);
      index.names.renewRoots(changed, roots);
      const slice = new Slice();
      for (const row of rows.sort((a, b) => a.docNo - b.docNo)) {
        index.put(row);
        await slice.pause();
      }
      await this.#readVectors(own, index, rows.map((row) => row.docNo));
    }
    // The rows are at least as new as the head that was read before them.
    entry.seq = head;
  }

  /** Vectors for pinned and for the latest units, as far as they fit; a text without an embedding yet has none here. */
  async #readVectors(ctx: OperationContext, index: HotIndex, docs: readonly number[]): Promise<void> {
    if (!ctx.deps.embeddings.inProcess) return;
    const wanted = docs.filter((doc) => index.documents.has(doc))
      .sort((a, b) => Number(index.pinned.has(b)) - Number(index.pinned.has(a)) || b - a)
      .slice(0, index.vectors.room);
    if (wanted.length === 0) return;
    const rows = await ctx.tx((tx) => embeddings.readVectors(tx, ctx.deps.embeddings.model, wanted), {
      readOnly: true,
    });
    const slice = new Slice();
    for (const { docNo, vector } of rows) {
      if (index.documents.has(docNo)) index.vectors.set(docNo, embeddings.parseVector(vector));
      await slice.pause();
    }
  }

  /** Lets the least recently used workspaces go until the rest fits. */
  #evict(current: Entry): void {
    let bytes = 0;
    for (const { index } of this.#entries.values()) bytes += index?.bytes ?? 0;
    for (const [key, entry] of this.#entries) {
      if (bytes <= this.#options.bytesMax) return;
      if (entry === current || entry.work !== undefined) continue;
      bytes -= entry.index?.bytes ?? 0;
      this.#entries.delete(key);
      if (!this.#isHeld(entry.workspaceId)) this.#heads.delete(entry.workspaceId);
    }
  }
}

/** Gives other requests their turn during long work. */
class Slice {
  #end = performance.now() + SLICE_MS;

  async pause(): Promise<void> {
    if (performance.now() < this.#end) return;
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#end = performance.now() + SLICE_MS;
  }
}
