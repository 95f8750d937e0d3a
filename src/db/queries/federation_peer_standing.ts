/**
 * Statements on `federation_peer`: a peer's state and attempts, what it declared in a handshake, what DNS says about
 * it, and what operators see of it.
 */
import type { PeerState } from "../../schema/federation_peer.ts";
import type { Sql, Tx } from "../tx.ts";

/** A peer's state, and its successes and failures. */
export interface PeerStandingRow {
  readonly state: PeerState;
  readonly isStale: boolean;
  readonly approvedAt: Date | null;
  readonly approvedBy: string | null;
  readonly degradedAt: Date | null;
  readonly successAt: Date | null;
  readonly failures: number;
  readonly nextAttemptAt: Date | null;
  readonly lastError: unknown;
}

/** Writes a peer's state, which leaves the version of its entry as it is. Returns that version. */
export async function writePeerStanding(tx: Tx, id: string, row: PeerStandingRow): Promise<number> {
  const { sql, workspaceId, now } = tx;
  const [{ version }] = await sql<[{ version: number }]>`
    update federation_peer set
      state = ${row.state}, stale = ${row.isStale}, approved_at = ${row.approvedAt}, approved_by = ${row.approvedBy},
      degraded_at = ${row.degradedAt}, success_at = ${row.successAt}, failures = ${row.failures},
      next_attempt_at = ${row.nextAttemptAt},
      last_error = ${row.lastError === null ? null : sql.json(row.lastError)},
      updated_at = ${now}
     where workspace_id = ${workspaceId} and id = ${id}
     returning version`;
  return version;
}

/** Stores what a peer declared in a handshake that its key signed, and that the peer is verified. */
export async function noteHandshake(
  tx: Tx,
  id: string,
  { told, skewMs }: { readonly told: Readonly<Record<string, unknown>>; readonly skewMs: number | null },
): Promise<void> {
  const { sql, workspaceId, now } = tx;
  await sql`
    update federation_peer set
      told = ${sql.json(told)}, skew_ms = coalesce(${skewMs}, skew_ms), verified_at = coalesce(verified_at, ${now}),
      contact_at = ${now}
     where workspace_id = ${workspaceId} and id = ${id}`;
}

/** Stores the certificate that a peer's server showed. */
export async function noteCertificate(
  tx: Tx,
  id: string,
  certificate: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { sql, workspaceId } = tx;
  await sql`
    update federation_peer set certificate = ${sql.json(certificate)}
     where workspace_id = ${workspaceId} and id = ${id}`;
}

/** What DNS says about a peer. */
export interface DiscoveredPeer {
  readonly priority: number;
  readonly weight: number;
  /** When DNS named it last, RFC 3339. */
  readonly seen: string;
}

/** Stores what DNS says about a peer that waits for approval. */
export async function noteFound(tx: Tx, id: string, found: DiscoveredPeer): Promise<void> {
  const { sql, workspaceId, now } = tx;
  await sql`
    update federation_peer set found = ${sql.json({ ...found })}, updated_at = ${now}
     where workspace_id = ${workspaceId} and id = ${id} and source = 'srv' and approved_at is null and removed_at is null`;
}

/** Deletes a peer that DNS named and nobody approved. */
export async function forgetFound(tx: Tx, id: string): Promise<void> {
  const { sql, workspaceId } = tx;
  await sql`
    delete from federation_peer
     where workspace_id = ${workspaceId} and id = ${id} and source = 'srv' and approved_at is null and removed_at is null`;
}

/** Whether the workspace has an approved peer. */
export async function hasPeer(tx: Tx): Promise<boolean> {
  const rows = await tx.sql`
    select from federation_peer
     where workspace_id = ${tx.workspaceId} and removed_at is null and approved_at is not null limit 1`;
  return rows.length > 0;
}

/** Counts the workspace's peers that are approved, and those that wait for approval. */
export async function countPeers(tx: Tx): Promise<{ approved: number; pending: number }> {
  const { sql, workspaceId } = tx;
  const [row] = await sql<[{ approved: number; pending: number }]>`
    select (count(*) filter (where approved_at is not null))::int as approved,
           (count(*) filter (where approved_at is null))::int as pending
      from federation_peer where workspace_id = ${workspaceId} and removed_at is null`;
  return row;
}

/**
 * Counts the approved peers of all workspaces, without the instance `id`; null: counts all. Another transaction that
 * counts waits for the end of this one.
 */
export async function countOtherPeers(tx: Tx, id: string | null): Promise<number> {
  const [row] = await tx.sql<[{ count: number }]>`select svc_system.count_other_peers(${id}) as count`;
  return row.count;
}

/** The progress of the exchange with a peer, which operators see beside its entry. */
export interface PeerProgress {
  readonly id: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly reconciledAt: Date | null;
  readonly reconciliation: Readonly<Record<string, unknown>> | null;
  /** How many notices of erasure it has not acknowledged. */
  readonly erasuresPending: number;
}

/** Returns the progress of every peer of the workspace that was not removed. */
export async function listPeerProgress(tx: Tx): Promise<PeerProgress[]> {
  const { sql, workspaceId } = tx;
  return await sql<PeerProgress[]>`
    select p.id, p.counts, p.reconciled_at as "reconciledAt", p.reconciliation,
           (select count(*) from federation_erasure e
             where e.workspace_id = p.workspace_id and e.peer_id = p.id and e.acked_at is null)::int as "erasuresPending"
      from federation_peer p where p.workspace_id = ${workspaceId} and p.removed_at is null`;
}

/** Deletes the notices of erasure that a removed peer has not acknowledged; it gets no more of them. */
export async function dropPendingErasures(tx: Tx, id: string): Promise<void> {
  const { sql, workspaceId } = tx;
  await sql`delete from federation_erasure where workspace_id = ${workspaceId} and peer_id = ${id} and acked_at is null`;
}

/** The worst state that a peer has in any workspace, because metrics are labelled by the peer alone. */
export interface PeerGauge {
  readonly peer: string;
  readonly active: boolean;
  readonly degraded: boolean;
  readonly stale: boolean;
  /** When both sides last had the same items; if they never had, when the peer was approved. */
  readonly levelAt: Date;
  readonly certificateExpiresAt: Date | null;
  /** Notices of erasure that it has not acknowledged, of all workspaces. */
  readonly erasuresPending: number;
}

/** Returns the worst state of each peer over all workspaces. */
export async function listPeerGauges(sql: Sql): Promise<PeerGauge[]> {
  return await sql<PeerGauge[]>`
    select peer, active, degraded, stale, level_at as "levelAt", certificate_expires_at as "certificateExpiresAt",
           erasures_pending::float8 as "erasuresPending"
      from svc_system.federation_gauges()`;
}

/** Replaces a peer's sealed secrets. */
export async function writePeerSecrets(tx: Tx, id: string, sealed: string | null): Promise<void> {
  const { sql, workspaceId } = tx;
  await sql`update federation_peer set secrets = ${sealed} where workspace_id = ${workspaceId} and id = ${id}`;
}

/** Notes that an authenticated request of a peer arrived. */
export async function noteContact(tx: Tx, id: string): Promise<void> {
  const { sql, workspaceId, now } = tx;
  await sql`
    update federation_peer set contact_at = ${now}
     where workspace_id = ${workspaceId} and id = ${id} and (contact_at is null or contact_at < ${now})`;
}

/** Notes that a peer has proved its key in a handshake. */
/** Notes in which region a peer says that it is. */
export async function noteRegion(tx: Tx, id: string, region: string | null): Promise<void> {
  const { sql, workspaceId } = tx;
  await sql`
    update federation_peer set told = told || ${sql.json({ region })}
     where workspace_id = ${workspaceId} and id = ${id}`;
}

export async function noteVerified(tx: Tx, id: string): Promise<void> {
  const { sql, workspaceId, now } = tx;
  await sql`
    update federation_peer set verified_at = ${now}
     where workspace_id = ${workspaceId} and id = ${id} and verified_at is null`;
}
