/** Shows peers to operators and admins, never with a secret. */
import type { Deps, OperationContext } from "../../../context.ts";
import { keyIdOf } from "../../../crypto/ed25519.ts";
import {
  listPeerGauges,
  listPeerProgress,
  type PeerGauge,
  type PeerProgress,
} from "../../../db/queries/federation_peer_standing.ts";
import { ServiceError } from "../../../errors.ts";
import type { Page } from "../../../schema/common.ts";
import { InstanceId } from "../../../schema/federation_peer.ts";
import type { ListPeersQuery, Peer as PeerView } from "../../../schema/federation_peer_resource.ts";
import type { MetricSources } from "../../../telemetry/metric_sources.ts";
import { decodeCursor, encodeCursor, toPage } from "../../common/cursor.ts";
import { convergesWith } from "./convergence.ts";
import { listPeers, type Peer, regionOf, secretsOf, signingKeysOf } from "./peers.ts";
import { warningsOf } from "./warnings.ts";

const DAY_MS = 86_400_000;

type Which = "approved" | "pending";

const isPeerId = (key: unknown): key is string => InstanceId.safeParse(key).success;

/**
 * Shows a page of the workspace's peers that are approved, or that wait for approval, by their ids.
 * @throws ServiceError `validation_failed` when the cursor is of another list
 */
export async function showPeerPage(
  ctx: OperationContext,
  which: Which,
  query: ListPeersQuery,
): Promise<Page<PeerView>> {
  const { limit, order } = query;
  const list = `${which} peers`;
  const after = decodeCursor(list, order, query.cursor, isPeerId);
  // All are read, because each is compared with all; a workspace has about a hundred at most.
  const { data } = await showPeers(ctx, which);
  const way = order === "asc" ? 1 : -1;
  // Sorted here rather than by the database's collation, so that a cursor's position among them stays the same.
  const ordered = data.toSorted((a, b) => a.id < b.id ? -way : way);
  const isBeyond = (id: string) => after === undefined || (order === "asc" ? id > after : id < after);
  const rest = ordered.filter(({ id }) => isBeyond(id));
  return toPage(rest, limit, (peer) => peer, ({ id }) => encodeCursor(list, order, id));
}

/** Shows all of the workspace's peers that are approved, or that wait for approval, by their ids. */
export async function showPeers(ctx: OperationContext, which: Which): Promise<{ data: PeerView[] }> {
  return await ctx.tx(async (tx) => {
    const [peers, progress] = [await listPeers(ctx.deps, tx), await listPeerProgress(tx)];
    const wanted = peers.filter(({ approvedAt }) => (approvedAt !== null) === (which === "approved"));
    return { data: wanted.map((peer) => toView(ctx.deps, peer, peers, progressOf(progress, peer.id), tx.now)) };
  }, { readOnly: true });
}

/**
 * Shows one peer.
 * @throws ServiceError `not_found`
 */
export async function showPeer(ctx: OperationContext, id: string): Promise<PeerView> {
  return await ctx.tx(async (tx) => {
    const peers = await listPeers(ctx.deps, tx);
    const peer = peers.find((one) => one.id === id);
    if (peer === undefined) throw unknownPeer();
    return toView(ctx.deps, peer, peers, progressOf(await listPeerProgress(tx), id), tx.now);
  }, { readOnly: true });
}

/** The error for a peer that the workspace does not have. */
export function unknownPeer(): ServiceError {
  return new ServiceError("not_found", "Cannot find the peer: the workspace has none of this id");
}

/** Merges the rows that the clusters have of a peer into one row with the worst values. */
function worstOf(rows: readonly PeerGauge[]): PeerGauge[] {
  const byPeer = new Map<string, PeerGauge>();
  for (const row of rows) {
    const other = byPeer.get(row.peer);
    byPeer.set(
      row.peer,
      other === undefined ? row : {
        peer: row.peer,
        active: row.active && other.active,
        degraded: row.degraded || other.degraded,
        stale: row.stale || other.stale,
        levelAt: earlier(row.levelAt, other.levelAt)!,
        certificateExpiresAt: earlier(row.certificateExpiresAt, other.certificateExpiresAt),
        erasuresPending: row.erasuresPending + other.erasuresPending,
      },
    );
  }
  return [...byPeer.values()];
}

function earlier(a: Date | null, b: Date | null): Date | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}

/** Reads the gauges of peers from rows, so that all processes show the same. */
export function peerGauges({ db, clock }: Pick<Deps, "db" | "clock">): MetricSources {
  return {
    peers: async () => {
      const rows = worstOf(await db.each(listPeerGauges, { readOnly: true, partial: true }));
      const now = clock().getTime();
      return rows.map((
        { peer, active, degraded, stale, levelAt, certificateExpiresAt: expiresAt, erasuresPending },
      ) => ({
        peer,
        isActive: active,
        isDegraded: degraded,
        isStale: stale,
        lagSeconds: Math.max(0, (now - levelAt.getTime()) / 1_000),
        certificateDays: expiresAt === null ? null : (expiresAt.getTime() - now) / DAY_MS,
        erasuresPending,
      }));
    },
  };
}

function progressOf(all: readonly PeerProgress[], id: string): PeerProgress {
  return all.find((one) => one.id === id) ??
    { id, counts: {}, reconciledAt: null, reconciliation: null, erasuresPending: 0 };
}

function toView(deps: Deps, peer: Peer, peers: readonly Peer[], progress: PeerProgress, now: Date): PeerView {
  const approved = peers.filter(({ approvedAt }) => approvedAt !== null);
  const { workspaceId, remoteWorkspaceId, certificate, reconciliation } = { ...peer, ...progress };
  const time = (at: Date | null) => at?.toISOString() ?? null;
  const lagFrom = peer.levelAt ?? peer.approvedAt;
  return {
    id: peer.id,
    uid: peer.uid,
    version: peer.version,
    endpoint: peer.endpoint,
    state: peer.state,
    stale: peer.isStale,
    approved: peer.approvedAt !== null,
    source: peer.source,
    direction: peer.direction,
    workspaces: [remoteWorkspaceId === workspaceId ? workspaceId : `${workspaceId}=${remoteWorkspaceId}`],
    region: regionOf(peer),
    maxSensitivity: peer.maxSensitivity,
    conflictResolution: peer.conflictResolution,
    converges: peer.approvedAt === null ? null : convergesWith(peer, approved),
    trustWeight: peer.trustWeight,
    signed: peer.signingKey !== null,
    sealed: isSealed(deps, peer),
    warnings: warningsOf(deps, peer),
    keyIds: signingKeysOf(peer, now).map(keyIdOf),
    certificate: certificate as PeerView["certificate"],
    contactAt: time(peer.contactAt),
    successAt: time(peer.successAt),
    levelAt: time(peer.levelAt),
    lagSeconds: lagFrom === null ? null : Math.max(0, (now.getTime() - lagFrom.getTime()) / 1_000),
    skewMs: peer.skewMs,
    failures: peer.failures,
    nextAttemptAt: time(peer.nextAttemptAt),
    lastError: peer.lastError as PeerView["lastError"],
    counts: { ...progress.counts },
    reconciliation: progress.reconciledAt === null || reconciliation === null ? null : {
      at: progress.reconciledAt.toISOString(),
      equal: reconciliation.equal === true,
      differences: Number(reconciliation.differences ?? 0),
    },
    erasuresPending: progress.erasuresPending,
    found: peer.found as PeerView["found"],
  };
}

function isSealed(deps: Deps, peer: Peer): boolean | null {
  if (peer.signingKey === null) return false;
  try {
    return secretsOf(deps, peer).symmetricKey !== undefined;
  } catch {
    return null;
  }
}
