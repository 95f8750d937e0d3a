/** A running run with a peer. A lease on the peer's row keeps other processes out. The run counts what it does. */
import { createContext, type OperationContext } from "../../../context.ts";
import * as queries from "../../../db/queries/federation_sync_runs.ts";
import type { Tx } from "../../../db/tx.ts";
import type { ConflictResolution } from "../../../schema/federation_peer.ts";
import type { SyncReport } from "../../../schema/federation_sync.ts";
import type { Readable } from "../protocol/ask_peer.ts";
import type { ItemResult } from "../applying/incoming.ts";
import { peerSignalsOf } from "../peers/peer_signals.ts";
import { findPeer, type Peer } from "../peers/peers.ts";

/** Longer than any request may take, so that only the lease of a process that died expires. */
const LEASE_MS = 30_000;

/** Another process holds the run, or the peer is gone. */
export class SyncRunLost extends Error {}

/** How to take a run. */
export interface SyncRunOptions {
  /** Default: both. A run of the loop pulls, or pushes to a peer that only receives. */
  readonly mode?: "pull" | "push" | "both";
  /** Used instead of the strategy of the peer's entry. */
  readonly strategy?: ConflictResolution | undefined;
  readonly reconcile?: boolean;
  /** Called before each request, to show that the run goes on. */
  readonly onStep?: () => Promise<void>;
}

/** The outcomes of items that were not accepted. */
const REJECTED: ReadonlySet<string> = new Set([
  "RESURRECTION_BLOCKED",
  "VERSION_JUMP_REJECTED",
  "validation_failed",
  "conflict",
]);

export class SyncRun implements Disposable {
  readonly #lease: string;
  readonly #following: Disposable;
  readonly #rejected = new Map<string, number>();
  #isLevel = false;
  readonly counts = { received: 0, sent: 0, conflicts: 0, deferred: 0 };
  reconciled: SyncReport["reconciled"] = null;
  /** In which form this instance can read the peer's pages, and the peer those of this instance. */
  readonly readable: { readonly ours: Readable; readonly theirs: Readable } = { ours: {}, theirs: {} };

  private constructor(
    /** Its signal is aborted when the peer's entry changes or is removed. */
    readonly ctx: OperationContext,
    /** The peer as it was when the run began, or when it was greeted. */
    public peer: Peer,
    readonly state: queries.SyncRunState,
    readonly options: SyncRunOptions,
    { lease, following }: { readonly lease: string; readonly following: Disposable },
  ) {
    this.#lease = lease;
    this.#following = following;
  }

  /** Begins a run with a peer; undefined while another process holds it, or if the workspace has no such peer. */
  static async begin(ctx: OperationContext, id: string, options: SyncRunOptions): Promise<SyncRun | undefined> {
    const { deps, workspaceId } = ctx;
    const following = peerSignalsOf(deps).follow(workspaceId, id);
    const signal = AbortSignal.any([ctx.signal, following.signal]);
    const lease = crypto.randomUUID();
    const begun = await ctx.tx(async (tx) => {
      const peer = await findPeer(deps, tx, id, true);
      if (peer === undefined) return undefined;
      const expiresAt = new Date(tx.now.getTime() + LEASE_MS);
      const nextAttemptAt = afterInterval(ctx, tx.now);
      const state = await queries.takeSyncRun(tx, id, { id: lease, expiresAt, nextAttemptAt });
      return state && { peer, state };
    }).catch((error) => {
      following[Symbol.dispose]();
      throw error;
    });
    if (begun === undefined) {
      following[Symbol.dispose]();
      return undefined;
    }
    const own = createContext(deps, ctx, { ...ctx, signal });
    return new SyncRun(own, begun.peer, begun.state, options, { lease, following });
  }

  /** Whether the peer's entry was changed or removed while the run ran. */
  get isOver(): boolean {
    return this.ctx.signal.aborted;
  }

  /**
   * Extends the lease. The caller does so before each request to the peer.
   * @throws SyncRunLost, and the reason of the signal
   */
  async hold(): Promise<void> {
    this.ctx.signal.throwIfAborted();
    await this.options.onStep?.();
    const held = await this.ctx.tx((tx) =>
      queries.renewSyncRun(tx, this.peer.id, this.#lease, new Date(tx.now.getTime() + LEASE_MS))
    );
    if (!held) throw new SyncRunLost();
  }

  /** Notes that all steps of the run were done; stored at its end. */
  noteLevel(): void {
    this.#isLevel = true;
  }

  /**
   * Stores how far the peer was read, in the transaction of the items.
   * @throws SyncRunLost if another process holds the run
   */
  async savePulled(tx: Tx, cursor: string | null): Promise<void> {
    if (!await queries.savePulled(tx, this.peer.id, this.#lease, cursor)) throw new SyncRunLost();
  }

  async savePushed(seq: number): Promise<void> {
    const saved = await this.ctx.tx((tx) => queries.savePushed(tx, this.peer.id, this.#lease, seq));
    if (!saved) throw new SyncRunLost();
  }

  /** Counts the outcomes of items: `sent` ones at the peer, `received` ones here. */
  note(way: "received" | "sent", results: readonly Pick<ItemResult, "outcome">[]): void {
    for (const { outcome } of results) {
      if (REJECTED.has(outcome)) {
        this.#rejected.set(outcome, (this.#rejected.get(outcome) ?? 0) + 1);
        continue;
      }
      this.counts[way]++;
      if (outcome === "contested") this.counts.conflicts++;
      if (outcome === "deferred") this.counts.deferred++;
    }
  }

  get report(): Pick<SyncReport, "received" | "sent" | "conflicts" | "rejected" | "reconciled"> {
    const { received, sent, conflicts, deferred } = this.counts;
    const rejected = [...this.#rejected].map(([code, count]) => ({ code, count }));
    if (deferred > 0) rejected.push({ code: "deferred", count: deferred });
    return { received, sent, conflicts, rejected, reconciled: this.reconciled };
  }

  /**
   * Gives up the lease and stores the counts. It has a signal of its own, so that nobody waits for the lease when the
   * service stops.
   */
  async end(): Promise<void> {
    const { ctx, peer } = this;
    const late = createContext(ctx.deps, ctx, { ...ctx, signal: AbortSignal.timeout(1_000) });
    const { received, sent, conflicts, rejected } = this.report;
    const count = rejected.filter(({ code }) => code !== "deferred").reduce((sum, one) => sum + one.count, 0);
    await late.tx(async (tx) => {
      if (this.#isLevel) await queries.noteLevel(tx, peer.id);
      await queries.endSyncRun(tx, peer.id, this.#lease);
      if (received + sent + conflicts + count === 0) return;
      const counts = { received, sent, conflicts, rejected: count, deferred: this.counts.deferred };
      await queries.addCounts(tx, peer.id, counts);
      tx.audit({ eventType: "federation.sync_completed", targets: [peer.uid], detail: { peer: peer.id, ...counts } });
    });
    const { metrics } = ctx.deps.telemetry;
    metrics.countSynced(peer.id, { items: received + sent, conflicts });
    for (const { code, count } of rejected) metrics.countRejected(peer.id, code, count);
  }

  [Symbol.dispose](): void {
    this.#following[Symbol.dispose]();
  }
}

/** The time of the next regular run. */
export function afterInterval({ deps }: OperationContext, now: Date): Date {
  return new Date(now.getTime() + deps.config.federation.intervalSeconds * 1_000);
}
