/**
 * The cache of the hot tier, and how it follows what is written. A read costs no database round trip unless something was
 * written since the last one.
 *
 * The second request for a workspace starts a load in the background. No request waits for the load: the database answers
 * them until the load is done.
 *
 * Every commit advances the feed of its workspace. This process learns of its own commits at once, with what they
 * wrote, and of other processes' commits by notification. A read of an entry that is behind first reads the changed
 * rows. After a lost connection a read first asks the database for the feed's head.
 */
import { createContext, type Deps, type OperationContext } from "../../../context.ts";
import { readFeedHead } from "../../../db/queries/changes.ts";
import * as queries from "../../../db/queries/hot.ts";
import type { Tell } from "../../../db/database.ts";
import type { ChangeInput, Tx } from "../../../db/tx.ts";
import { KINDS } from "../../../schema/common.ts";
import { perService } from "../../common/per_service.ts";
import { HotEntries, type HotWorkspace, keyOf } from "./entries.ts";
import type { HotIndex } from "./index.ts";
import { HotLoader, type HotTierOptions } from "./loader.ts";
import { listChanged, putNow, putSlowly, readRows } from "./rows.ts";

/** Everything in a workspace that a clearance may see, in memory. */
export interface CompleteIndex {
  readonly index: HotIndex;
  /** Whether no change is being applied; only then may a reader use it. */
  isSettled(): boolean;
}

/** Loading again is faster than catching up with more changes than this. */
const CHANGES_MAX = 5_000;
/** How far a workspace may outgrow its bound by following the feed before it is loaded again. */
const GROWTH = 1.1;
/** The most commits of this process that wait for earlier ones to be applied. */
const WRITES_MAX = 64;
/** How long a full recall waits for the tier to follow the feed before it asks the database. */
const FOLLOW_MS = 25;
/** How long one recall waits for the database to say where the feed ends, in milliseconds. */
const LOOK_MS = 250;
/** The deadline of that query, whose answer several recalls share, in milliseconds. */
const LOOK_DEADLINE_MS = 1_000;
/** Reads of the feed's end for one request, if other writes come in between. */
const LOOKS_MAX = 3;
/** The most reads of changed rows that a request waits for: one that others began before it, and one that began after. */
const FOLLOWS_MAX = 2;
const TYPES = Object.keys(KINDS);

export const hotTierOf = perService((deps) => new HotTier(deps, deps.config.hot));

export class HotTier implements AsyncDisposable {
  readonly #deps: Deps;
  readonly #options: HotTierOptions;
  readonly #entries: HotEntries;
  readonly #loader: HotLoader;
  #gap = 0;

  constructor(deps: Deps, options: HotTierOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#entries = new HotEntries(options.bytesMax);
    this.#loader = new HotLoader(deps, options, this.#entries);
  }

  get enabled(): boolean {
    return this.#options.bytesMax > 0 && this.#options.unitsMax > 0;
  }

  /** The feed of a workspace has reached `seq`. */
  noteSeq(workspaceId: string, seq: number): void {
    this.#entries.noteHead(workspaceId, seq);
  }

  /**
   * Reads the rows that a committing transaction has written, if the tier holds its workspace at its clearance. The
   * caller calls the returned function after the commit; otherwise the next reader follows the feed.
   */
  async readWritten(tx: Tx, changes: readonly ChangeInput[]): Promise<Tell | undefined> {
    const key = keyOf(tx);
    const index = this.#entries.get(key)?.index;
    const changed = index && listChanged(changes);
    if (changed === undefined) return undefined;
    const { embeddings } = this.#deps;
    const rows = await readRows(tx, changed, { withRest: index!.isComplete, embeddings });
    return (recorded) => {
      const entry = this.#entries.get(key);
      if (entry === undefined || entry.written.size >= WRITES_MAX) return;
      entry.written.set(recorded[0]!.seq, { last: recorded.at(-1)!.seq, rows });
      this.#applyWritten(entry);
    };
  }

  /**
   * Applies this process' commits that come next in the feed. A commit may be reported before an earlier one, and then
   * waits for it.
   */
  #applyWritten(entry: HotWorkspace): void {
    if (entry.index === undefined || entry.work !== undefined) return;
    for (;;) {
      const next = entry.written.get(entry.seq + 1);
      // An index that has outgrown its bound is loaded anew: the next reader starts that as it follows the feed.
      if (next === undefined || entry.index.index.size > GROWTH * this.#options.unitsMax) break;
      entry.written.delete(entry.seq + 1);
      putNow(entry.index, next.rows, this.#deps.embeddings);
      entry.seq = next.last;
    }
    for (const first of entry.written.keys()) if (first <= entry.seq) entry.written.delete(first);
    this.#entries.trim(entry);
  }

  /**
   * Notes that notifications may have been lost: the next read of every workspace first asks the database for the
   * feed's head. Earlier heads are forgotten, since the database may have been set back to an earlier state.
   */
  noteGap(): void {
    this.#gap++;
    this.#entries.forgetHeads();
  }

  /** Units held by workspace, for the metrics. */
  sizes(): { workspaceId: string; units: number }[] {
    return this.#entries.sizes();
  }

  /**
   * The workspace's index at the context's clearance: word frequencies and near spellings are computed only from texts
   * that the reader may see. It includes every commit that this process knows of. Undefined while the workspace is not
   * loaded; the call counts towards loading it.
   */
  async find(ctx: OperationContext): Promise<HotIndex | undefined> {
    const entry = this.#use(ctx, { isForFullRecall: false });
    if (entry === undefined) return undefined;
    const head = this.#entries.headOf(ctx.workspaceId);
    const gap = this.#gap;
    // Waits only for the state at the time of the call, because under constant writing a reader would otherwise never
    // be served. A read that began after the call reaches it, or proves that the feed has gone back.
    for (let follows = 0; entry.index !== undefined && (entry.seq < head || entry.gap < gap); follows++) {
      if (follows === FOLLOWS_MAX) break;
      await this.#startFollowing(ctx, entry, entry.index);
    }
    return entry.index;
  }

  /** Counts a request for a workspace. Returns its entry, or undefined if there is none; then it may start to load one. */
  #use(ctx: OperationContext, { isForFullRecall }: Pick<HotWorkspace, "isForFullRecall">): HotWorkspace | undefined {
    const { workspaceId, maxSensitivity: clearance } = ctx;
    const key = keyOf(ctx);
    const { entry, isWanted } = this.#entries.use(key);
    if (entry === undefined && isWanted) {
      this.#loader.admit({ key, workspaceId, clearance, isForFullRecall }, this.#gap);
    }
    if (entry?.index !== undefined) {
      const context = () => this.#contextOf(ctx, entry);
      entry.looks.lookIfDue(context, entry.index);
      entry.linkLooks.lookIfDue(context, entry.index.links);
    }
    return entry;
  }

  /** The context of work at an entry's clearance, which others wait for, too: it is not bound to the caller's request. */
  #contextOf(ctx: OperationContext, { clearance }: HotWorkspace): OperationContext {
    const { requestId, operationId } = ctx;
    const request = { requestId, operationId, signal: this.#deps.stopping };
    return createContext(this.#deps, { ...ctx, maxSensitivity: clearance }, request);
  }

  #startFollowing(ctx: OperationContext, entry: HotWorkspace, index: HotIndex): Promise<void> {
    return entry.work ??= this.#follow(ctx, entry, index).finally(() => {
      entry.work = undefined;
      this.#applyWritten(entry);
    });
  }

  /**
   * The whole of the workspace that the context's clearance may see, with every commit, by any process, before the
   * call; one read of the feed's end proves it. Undefined when the tier does not hold everything, is not loaded, or
   * does not catch up within some milliseconds. The call counts as a request to load the workspace.
   */
  async findComplete(ctx: OperationContext): Promise<CompleteIndex | undefined> {
    const key = keyOf(ctx);
    if (this.#loader.isPartial(key)) return undefined;
    const entry = this.#use(ctx, { isForFullRecall: true });
    if (entry === undefined) return undefined;
    for (let looks = 0; looks < LOOKS_MAX && entry.index?.isComplete === true; looks++) {
      const before = entry.seq;
      const look = await this.#look(ctx, entry);
      if (look === undefined) return undefined;
      const { seq, sizes } = look;
      if (seq < before) {
        this.#loadSetBack(entry);
        return undefined;
      }
      if (!await this.#reach(ctx, entry, seq)) return undefined;
      const { index, whole } = entry;
      if (!index?.isComplete) break;
      if (entry.seq === seq && sizes !== null) {
        whole.is = index.holds(sizes);
        whole.seq = seq;
      }
      // Later writes were applied to a complete index, so it is still complete.
      if (entry.seq >= seq && entry.work === undefined && whole.seq >= 0) {
        if (!whole.is) {
          this.#loader.notePartial(key);
          return undefined;
        }
        return { index, isSettled: () => entry.work === undefined && entry.index === index && index.isComplete };
      }
    }
    return undefined;
  }

  /** Waits a short time until an entry has reached a position in the feed. @returns whether it has */
  async #reach(ctx: OperationContext, entry: HotWorkspace, seq: number): Promise<boolean> {
    this.noteSeq(entry.workspaceId, seq);
    const until = performance.now() + FOLLOW_MS;
    while (entry.index !== undefined && (entry.seq < seq || entry.work !== undefined)) {
      const leftMs = until - performance.now();
      if (leftMs <= 0) return false;
      const work = this.#startFollowing(ctx, entry, entry.index);
      const timeout = Promise.withResolvers<false>();
      const timer = setTimeout(() => timeout.resolve(false), leftMs);
      // Other waiters hear of a failure; this request then asks the database.
      const isDone = await Promise.race([work.then(() => true, () => false), timeout.promise]);
      clearTimeout(timer);
      if (!isDone) return false;
    }
    return true;
  }

  /**
   * Reads the end of the feed, or shares such a read with other requests. Undefined if it fails or
   * takes long; the database can answer the request then.
   */
  async #look(ctx: OperationContext, entry: HotWorkspace): Promise<queries.LookAtIndex | undefined> {
    const own = this.#contextOf(ctx, entry);
    const look = entry.look.take(() =>
      own.tx((tx) => queries.lookAtIndex(tx, entry.whole.seq), { readOnly: true, deadlineMs: LOOK_DEADLINE_MS })
    );
    const timeout = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => timeout.resolve(undefined), LOOK_MS);
    try {
      return await Promise.race([look.catch(() => undefined), timeout.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Waits for the loads that are running; when the service stops, they end early. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loader[Symbol.asyncDispose]();
  }

  async #follow(ctx: OperationContext, entry: HotWorkspace, index: HotIndex): Promise<void> {
    const own = this.#contextOf(ctx, entry);
    // It follows the feed at the highest clearance, ids only: a row that was reclassified beyond the entry's clearance
    // has to leave the entry.
    const feed = this.#contextOf(ctx, { ...entry, clearance: "restricted" });
    const gap = this.#gap;
    const known = Math.max(entry.seq, this.#entries.headOf(entry.workspaceId));
    const { head, ids } = await feed.tx(async (tx) => ({
      head: await readFeedHead(tx),
      ids: await queries.readChangedIds(tx, entry.seq, TYPES, CHANGES_MAX),
    }), { readOnly: true });
    if (head < known) return this.#loadSetBack(entry);
    if (ids.length >= CHANGES_MAX || index.index.size > GROWTH * this.#options.unitsMax) return this.#loadAnew(entry);
    const changed = [...new Set(ids)];
    if (changed.length > 0) {
      const { embeddings } = this.#deps;
      const all = { ids: changed, turns: changed, units: changed, entities: changed };
      const rows = await own.tx((tx) => readRows(tx, all, { withRest: index.isComplete, embeddings }), {
        readOnly: true,
      });
      await putSlowly(own, index, rows);
    }
    // The rows are at least as new as the head that was read before them.
    entry.seq = head;
    entry.gap = gap;
    this.#entries.trim(entry);
  }

  /**
   * Loads a workspace anew after the database was set back to an earlier state, because later commits reuse the sequence
   * numbers that the tier knows; the other workspaces look at their feeds. If new commits have passed the old end before the
   * tier looks, the tier does not notice. So an operator must restart the processes after restoring a database.
   */
  #loadSetBack(entry: HotWorkspace): void {
    this.noteGap();
    entry.written.clear();
    this.#loadAnew(entry);
  }

  /**
   * Gives up an index that is too far behind, and loads it again. If no load can start now, a later request starts one.
   */
  #loadAnew(entry: HotWorkspace): void {
    entry.index = undefined;
    entry.work = undefined;
    if (!this.#loader.start(entry, this.#gap)) this.#entries.drop(entry);
  }
}
