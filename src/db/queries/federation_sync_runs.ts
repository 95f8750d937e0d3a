/**
 * Statements about sync runs: how far the exchange with each peer has come, which process holds the sync run, and which sync runs
 * are due.
 */
import type { ItemName, ItemType } from "../../schema/federation_item.ts";
import type { PeerState } from "../../schema/federation_peer.ts";
import type { Sql, Tx } from "../tx.ts";
import { splitNames } from "./federation_versions.ts";

/** How far the exchange with a peer has come. */
export interface SyncRunState {
  /** The cursor of the last page that was pulled; null: pull from the beginning. */
  readonly pullCursor: string | null;
  /** The last place in our order of publication that was pushed. */
  readonly pushedSeq: number;
  readonly reconciledAt: Date | null;
}

/**
 * Takes the sync run with an approved peer; undefined while another process holds it. Sets the time of the next sync run as
 * well; whatever happens from now on can bring that forward.
 */
export async function takeSyncRun(
  tx: Tx,
  peer: string,
  lease: { readonly id: string; readonly expiresAt: Date; readonly nextAttemptAt: Date },
): Promise<SyncRunState | undefined> {
  const { sql, workspaceId, now } = tx;
  const [row] = await sql<SyncRunState[]>`
    update federation_peer
       set lease_id = ${lease.id}, lease_expires_at = ${lease.expiresAt}, next_attempt_at = ${lease.nextAttemptAt}
     where workspace_id = ${workspaceId} and id = ${peer} and removed_at is null and approved_at is not null
       and (lease_id is null or lease_expires_at <= ${now})
    returning pull_cursor as "pullCursor", pushed_seq::float8 as "pushedSeq", reconciled_at as "reconciledAt"`;
  return row;
}

/** Extends the lease of a sync run; false if another process holds the sync run, or the peer was removed. Locks the row. */
export async function renewSyncRun(tx: Tx, peer: string, lease: string, expiresAt: Date): Promise<boolean> {
  const { count } = await tx.sql`
    update federation_peer set lease_expires_at = ${expiresAt}
     where workspace_id = ${tx.workspaceId} and id = ${peer} and lease_id = ${lease}`;
  return count === 1;
}

/** Gives up the lease of a sync run. */
export async function endSyncRun(tx: Tx, peer: string, lease: string): Promise<void> {
  await tx.sql`
    update federation_peer set lease_id = null, lease_expires_at = null
     where workspace_id = ${tx.workspaceId} and id = ${peer} and lease_id = ${lease}`;
}

/** Stores how far a peer was read; false if another process holds the sync run. */
export async function savePulled(tx: Tx, peer: string, lease: string, cursor: string | null): Promise<boolean> {
  const { count } = await tx.sql`
    update federation_peer set pull_cursor = ${cursor}
     where workspace_id = ${tx.workspaceId} and id = ${peer} and lease_id = ${lease}`;
  return count === 1;
}

/** Stores how far we pushed to a peer, which therefore has those items; false if another process holds the sync run. */
export async function savePushed(tx: Tx, peer: string, lease: string, seq: number): Promise<boolean> {
  const { count } = await tx.sql`
    update federation_peer set pushed_seq = ${seq}, acked_seq = greatest(acked_seq, ${seq})
     where workspace_id = ${tx.workspaceId} and id = ${peer} and lease_id = ${lease}`;
  return count === 1;
}

/** Notes the place after which a peer asks. The peer has what comes before it, or is storing the last page of that. */
export async function noteReached(tx: Tx, peerId: string, seq: number): Promise<void> {
  await tx.sql`
    update federation_peer set acked_seq = ${seq}
     where workspace_id = ${tx.workspaceId} and id = ${peerId} and acked_seq < ${seq}`;
}

/** Adds to a peer's counters. */
export async function addCounts(tx: Tx, peer: string, counts: Readonly<Record<string, number>>): Promise<void> {
  const { sql, workspaceId } = tx;
  await sql`
    update federation_peer p set counts = p.counts || (
      select coalesce(jsonb_object_agg(n.key, coalesce((p.counts ->> n.key)::bigint, 0) + n.value::bigint), '{}')
        from jsonb_each_text(${sql.json({ ...counts })}) as n(key, value))
     where p.workspace_id = ${workspaceId} and p.id = ${peer}`;
}

/** Notes that both sides have the same items now. */
export async function noteLevel(tx: Tx, peer: string): Promise<void> {
  const { sql, workspaceId, now } = tx;
  await sql`
    update federation_peer set level_at = ${now}
     where workspace_id = ${workspaceId} and id = ${peer} and removed_at is null`;
}

/** Sets the time of the next sync run with an approved peer. */
export async function postponeSyncRun(tx: Tx, peer: string, until: Date): Promise<void> {
  const { sql, workspaceId } = tx;
  await sql`
    update federation_peer set next_attempt_at = ${until}
     where workspace_id = ${workspaceId} and id = ${peer} and removed_at is null and approved_at is not null`;
}

/** Makes the next sync run with an ACTIVE peer due now. */
export async function hurrySyncRun(tx: Tx, peer: string): Promise<void> {
  const { sql, workspaceId, now } = tx;
  await sql`
    update federation_peer set next_attempt_at = ${now}
     where workspace_id = ${workspaceId} and id = ${peer} and removed_at is null and state = 'ACTIVE'
       and next_attempt_at > ${now}`;
}

/** Makes the next sync run with an approved peer due now, also one that waits after failures. */
export async function attemptNow(tx: Tx, peer: string): Promise<void> {
  const { sql, workspaceId, now } = tx;
  await sql`
    update federation_peer set next_attempt_at = ${now}
     where workspace_id = ${workspaceId} and id = ${peer} and removed_at is null and approved_at is not null`;
}

/** Finds the open sync job with the same options, if the transaction may see it. */
export async function findOpenSyncJob(tx: Tx, same: string): Promise<string | undefined> {
  const [row] = await tx.sql<{ id: string }[]>`
    select id from job
     where workspace_id = ${tx.workspaceId} and kind = 'federation_sync' and state in ('queued', 'running')
       and input ->> 'same' = ${same}`;
  return row?.id;
}

/** The result of comparing both sides. */
export interface Reconciliation {
  readonly equal: boolean;
  /** How many items differed before the repair. */
  readonly differences: number;
  /** The names of some items that still differ. */
  readonly left: readonly string[];
}

/** Stores the result of comparing both sides. */
export async function saveReconciliation(tx: Tx, peer: string, found: Reconciliation): Promise<void> {
  const { sql, workspaceId, now } = tx;
  await sql`
    update federation_peer set reconciled_at = ${now}, reconciliation = ${sql.json({ ...found })}
     where workspace_id = ${workspaceId} and id = ${peer}`;
}

/** Lets the next sync run with a peer begin immediately, and compare both sides. */
export async function forgetComparison(tx: Tx, peer: string): Promise<void> {
  const { sql, workspaceId, now } = tx;
  await sql`
    update federation_peer
       set reconciled_at = null,
           next_attempt_at = case when state = 'ACTIVE' then least(next_attempt_at, ${now}) else next_attempt_at end
     where workspace_id = ${workspaceId} and id = ${peer} and removed_at is null`;
}

/** An erasure of which a peer has to be notified. */
export interface PendingErasure {
  readonly origin: ItemName;
  readonly type: ItemType;
  readonly version: number;
  readonly erasedAt: Date;
}

/** Lists the erasures that a peer has not acknowledged, the oldest first. */
export async function listPendingErasures(tx: Tx, peer: string, limit: number): Promise<PendingErasure[]> {
  return await tx.sql<PendingErasure[]>`
    select jsonb_build_object('instance', origin_instance, 'id', origin_id) as origin, type, version,
           erased_at as "erasedAt"
      from federation_erasure
     where workspace_id = ${tx.workspaceId} and peer_id = ${peer} and acked_at is null
     order by erased_at, origin_instance, origin_id limit ${limit}`;
}

/** Counts another attempt to send some erasures to a peer. */
export async function noteErasuresSent(tx: Tx, peer: string, origins: readonly ItemName[]): Promise<void> {
  const [instances, ids] = splitNames(origins);
  await tx.sql`
    update federation_erasure e set attempts = attempts + 1
      from unnest(${instances}::text[], ${ids}::uuid[]) as n(instance, id)
     where e.workspace_id = ${tx.workspaceId} and e.peer_id = ${peer} and e.origin_instance = n.instance
       and e.origin_id = n.id and e.acked_at is null`;
}

/** The outcome of an erasure at a peer. */
export interface ErasureOutcome {
  readonly instance: string;
  readonly id: string;
  readonly version: number;
  readonly outcome: string;
}

/**
 * Stores which erasures a peer acknowledged, with its signed message: the proof of who was notified and when. Returns
 * how many there were.
 */
export async function ackErasures(
  tx: Tx,
  peer: string,
  outcomes: readonly ErasureOutcome[],
  ack: Readonly<Record<string, unknown>>,
): Promise<number> {
  const { sql, workspaceId, now } = tx;
  const { count } = await sql`
    update federation_erasure e set acked_at = ${now}, outcome = n.outcome, ack = ${sql.json(ack)}
      from jsonb_to_recordset(${sql.json(outcomes)}) as n(instance text, id uuid, version int, outcome text)
     where e.workspace_id = ${workspaceId} and e.peer_id = ${peer} and e.origin_instance = n.instance
       and e.origin_id = n.id and e.version = n.version and e.acked_at is null`;
  return count;
}

/** The state of the sync run with one approved peer, in any workspace. */
export interface SyncRunRow {
  readonly workspaceId: string;
  /** The home region of the workspace. */
  readonly region: string;
  readonly peer: string;
  readonly state: PeerState;
  readonly isDue: boolean;
  /** Whether the workspace's change feed has changes that were not examined for publication. */
  readonly hasNews: boolean;
  /** The last place in the order of publication, and the place up to which the peer has read. */
  readonly lastSeq: number;
  readonly ackedSeq: number;
  /** Whether the peer has not acknowledged some notices of erasure. */
  readonly hasErasures: boolean;
}

/** Lists the approved peers of all workspaces, and what is due with each at a time. */
export async function listSyncRuns(sql: Sql, now: Date): Promise<SyncRunRow[]> {
  return await sql<SyncRunRow[]>`
    select workspace_id as "workspaceId", region, peer_id as peer, state, is_due as "isDue", has_news as "hasNews",
           last_seq::float8 as "lastSeq", acked_seq::float8 as "ackedSeq", has_erasures as "hasErasures"
      from svc_system.list_federation_turns(${now})`;
}

/** Lists the workspaces that have a sync job that waits, or that its process abandoned. */
export async function listSyncJobs(sql: Sql, now: Date): Promise<{ workspaceId: string; region: string }[]> {
  return await sql<{ workspaceId: string; region: string }[]>`
    select workspace_id as "workspaceId", region from svc_system.list_federation_jobs(${now})`;
}
