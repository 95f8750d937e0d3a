/** Applies events to a peer: changes its row, writes the feed and the audit log, and stops the running work with it. */
import type { Deps, OperationContext } from "../../../context.ts";
import { tellPeerChanged } from "../../../db/queries/federation_peers.ts";
import * as queries from "../../../db/queries/federation_peer_standing.ts";
import type { Tx } from "../../../db/tx.ts";
import { peerStale } from "../../../telemetry/federation_events.ts";
import { chainsOf } from "../../common/system.ts";
import { type Advance, advancePeer, type PeerError, type PeerEvent, type PeerStanding } from "./peer_state.ts";
import { peerSignalsOf } from "./peer_signals.ts";
import { findPeer, type Peer } from "./peers.ts";

/**
 * Audit events about an entry itself, which the system's chain records as well. The workspace's chain alone records
 * events of the exchange.
 */
const OF_THE_ENTRY: ReadonlySet<string> = new Set([
  "federation.peer_added",
  "federation.peer_approved",
  "federation.peer_removed",
  "federation.peer_pinned",
  "federation_cert_pin_mismatch",
]);

/** The lock for adding peers to a workspace, because they are counted first. */
export const PEERS_LOCK = "federation peers";

/** Work to do after the transaction has committed. */
export type AfterCommit = () => void;

/** The members of a peer's row that events change. */
export function standingOf(peer: Peer): PeerStanding {
  return { ...peer, lastError: peer.lastError as PeerError | null };
}

/**
 * Applies an event to a peer, under the lock of its row, in a transaction of its own.
 * @returns the peer after the event; undefined if the workspace has none of that id
 */
export async function notePeerEvent(ctx: OperationContext, id: string, event: PeerEvent): Promise<Peer | undefined> {
  const { peer, after } = await ctx.tx(async (tx) => {
    const before = await findPeer(ctx.deps, tx, id, true);
    if (before === undefined) return { peer: undefined, after: [] };
    const advance = advancePeer(standingOf(before), event, tx.now, Math.random);
    const after = await applyAdvance(ctx, tx, before, advance);
    return { peer: { ...before, ...advance.changes } as Peer, after };
  });
  for (const run of after) run();
  return peer;
}

/** The time of a peer's last sign of life is written at most this often. */
const CONTACT_MS = 10_000;

/** Notes that an authenticated request of a peer arrived. A pending attempt to reach it is made at once. */
export async function notePeerHeard(ctx: OperationContext, peer: Peer): Promise<void> {
  const now = ctx.deps.clock().getTime();
  const isRecent = peer.contactAt !== null && now - peer.contactAt.getTime() < CONTACT_MS;
  const isWaiting = peer.state !== "ACTIVE" && peer.nextAttemptAt !== null && peer.nextAttemptAt.getTime() > now;
  if (peer.approvedAt === null || (isRecent && !isWaiting)) return;
  if (!isRecent) await ctx.tx((tx) => queries.noteContact(tx, peer.id));
  if (isWaiting) await notePeerEvent(ctx, peer.id, { kind: "heard" });
}

/**
 * Stores how an event changes a peer, and carries out its effects. Returns the work to do after the commit.
 * @param detail is added to the audit rows
 */
export async function applyAdvance(
  ctx: OperationContext,
  tx: Tx,
  peer: Peer,
  { changes, effects }: Advance,
  detail: Readonly<Record<string, unknown>> = {},
): Promise<AfterCommit[]> {
  const next = { ...standingOf(peer), ...changes };
  const isChanged = Object.keys(changes).length > 0;
  const version = isChanged ? await queries.writePeerStanding(tx, peer.id, next) : peer.version;
  const after: AfterCommit[] = [];
  for (const effect of effects) {
    switch (effect.kind) {
      case "tell":
        tellOfPeer(tx, { ...peer, version, state: next.state }, {
          ...effect,
          detail: { ...effect.detail, ...detail },
        });
        break;
      case "alert":
        after.push(() => alertStale(ctx, peer));
        break;
      case "disconnect":
        after.push(await disconnect(ctx.deps, tx, peer.id));
        break;
      case "forget":
        await queries.forgetFound(tx, peer.id);
        break;
      // `removeStored` of manage_peers.ts does this itself.
      case "wipe":
        break;
    }
  }
  return after;
}

/** Writes an audit row about a peer, and a row of the change feed if `feed` is given. */
export function tellOfPeer(
  tx: Tx,
  { id, uid, version, state }: Pick<Peer, "id" | "uid" | "version" | "state">,
  { audit, feed, detail }: {
    readonly audit: string;
    readonly feed?: string;
    readonly detail?: Readonly<Record<string, unknown>>;
  },
): void {
  tx.audit({
    eventType: audit,
    targets: [uid],
    detail: { peer: id, state, ...detail },
    ...(OF_THE_ENTRY.has(audit) && { chains: chainsOf(tx.workspaceId) }),
  });
  if (feed === undefined) return;
  const payload = { peer: id, state };
  tx.record({ kind: feed, resourceType: "peer", resourceId: uid, version, sensitivity: "internal", payload });
}

/**
 * Ends the running work with a peer in every process. The commit notifies the other processes; for this one, call the
 * result after the commit.
 */
export async function disconnect(deps: Deps, tx: Tx, id: string): Promise<AfterCommit> {
  const signals = peerSignalsOf(deps);
  await tellPeerChanged(tx, id, signals.name);
  const { workspaceId } = tx;
  return () => signals.noteChanged(workspaceId, id);
}

function alertStale({ deps, workspaceId }: OperationContext, peer: Peer): void {
  const since = peer.degradedAt ?? peer.approvedAt;
  peerStale(deps.telemetry.log, { workspaceId, peer: peer.id, since: since?.toISOString() ?? null });
}
