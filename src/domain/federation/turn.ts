/** A turn with a peer while it runs: one process has it, by a lease on the peer's row, and it counts what it does. */
import { createContext, type OperationContext } from "../../context.ts";
import * as queries from "../../db/queries/federation_turns.ts";
import type { Tx } from "../../db/tx.ts";
import type { ConflictResolution } from "../../schema/federation_peer.ts";
import type { SyncReport } from "../../schema/federation_sync.ts";
import type { ItemResult } from "./incoming.ts";
import { peerSignalsOf } from "./peer_signals.ts";
import { findPeer, type Peer } from "./peers.ts";

/** Longer than any one request may take, so that only a process that died lets it lapse. */
const LEASE_MS = 30_000;

/** Another process has the turn, or the peer is gone. */
export class TurnLost extends Error {}

export interface TurnOptions {
  /** Both unless said; a turn of the loop pulls, or pushes to a peer that only receives. */
  readonly mode?: "pull" | "push" | "both";
  /** In place of what the peer's entry says. */
  readonly strategy?: ConflictResolution | undefined;
  readonly reconcile?: boolean;
  /** Called before each request, to say that the turn goes on. */
  readonly onStep?: () => Promise<void>;
}

/** Outcomes that say that an item was not taken. */
const REJECTED: ReadonlySet<string> = new Set([
  "RESURRECTION_BLOCKED",
  "VERSION_JUMP_REJECTED",
  "validation_failed",
  "conflict",
]);

export class Turn implements Disposable {
  readonly #lease: string;
  readonly #following: Disposable;
  readonly #rejected = new Map<string, number>();
  readonly counts = { received: 0, sent: 0, conflicts: 0, deferred: 0 };
  reconciled: SyncReport["reconciled"] = null;

  private constructor(
    /** Ends with the peer's entry. */
    readonly ctx: OperationContext,
    /** As it was when the turn began, or was greeted. */
    public peer: Peer,
    readonly state: queries.TurnState,
    readonly options: TurnOptions,
    { lease, following }: { readonly lease: string; readonly following: Disposable },
  ) {
    this.#lease = lease;
    this.#following = following;
  }

  /** Takes the turn with a peer; undefined while another process has it, and where the workspace has no such peer. */
  static async begin(ctx: OperationContext, id: string, options: TurnOptions): Promise<Turn | undefined> {
    const { deps, workspaceId } = ctx;
    const following = peerSignalsOf(deps).follow(workspaceId, id);
    const signal = AbortSignal.any([ctx.signal, following.signal]);
    const lease = crypto.randomUUID();
    const begun = await ctx.tx(async (tx) => {
      const peer = await findPeer(deps, tx, id, true);
      if (peer === undefined) return undefined;
      const expiresAt = new Date(tx.now.getTime() + LEASE_MS);
      const nextAttemptAt = afterInterval(ctx, tx.now);
      const state = await queries.takeTurn(tx, id, { id: lease, expiresAt, nextAttemptAt });
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
    return new Turn(own, begun.peer, begun.state, options, { lease, following });
  }

  /** Whether the peer's entry was changed or went while the turn ran. */
  get isOver(): boolean {
    return this.ctx.signal.aborted;
  }

  /** To be called before each request. @throws TurnLost, and the reason of the signal */
  async hold(): Promise<void> {
    this.ctx.signal.throwIfAborted();
    await this.options.onStep?.();
    const held = await this.ctx.tx((tx) =>
      queries.renewTurn(tx, this.peer.id, this.#lease, new Date(tx.now.getTime() + LEASE_MS))
    );
    if (!held) throw new TurnLost();
  }

  /** Notes in a transaction of items how far the peer was read: who has lost the turn stores nothing. */
  async savePulled(tx: Tx, cursor: string | null): Promise<void> {
    if (!await queries.savePulled(tx, this.peer.id, this.#lease, cursor)) throw new TurnLost();
  }

  async savePushed(seq: number): Promise<void> {
    const saved = await this.ctx.tx((tx) => queries.savePushed(tx, this.peer.id, this.#lease, seq));
    if (!saved) throw new TurnLost();
  }

  /** Counts what became of items: of ours over there, or of theirs here. */
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

  /** Gives the turn back. While the service stops the caller's signal is aborted; nobody is to wait for the lease. */
  async end(): Promise<void> {
    const { ctx, peer } = this;
    const late = createContext(ctx.deps, ctx, { ...ctx, signal: AbortSignal.timeout(1_000) });
    const { received, sent, conflicts, rejected } = this.report;
    const count = rejected.filter(({ code }) => code !== "deferred").reduce((sum, one) => sum + one.count, 0);
    await late.tx(async (tx) => {
      await queries.endTurn(tx, peer.id, this.#lease);
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

/** When the next turn comes by itself. */
export function afterInterval({ deps }: OperationContext, now: Date): Date {
  return new Date(now.getTime() + deps.config.federation.intervalSeconds * 1_000);
}
