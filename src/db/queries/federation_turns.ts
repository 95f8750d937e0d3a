/** How far the exchange with each peer has come, who is at it, and what is to be done now. */
import type { ItemName, ItemType } from "../../schema/federation_item.ts";
import type { PeerState } from "../../schema/federation_peer.ts";
import type { Sql, Tx } from "../tx.ts";
import { splitNames } from "./federation_versions.ts";

/** How far the exchange with a peer has come. */
export interface TurnState {
  /** After which the next page of the peer is asked for; null: from its beginning. */
  readonly pullCursor: string | null;
  /** The last of our places that was pushed. */
  readonly pushedSeq: number;
  readonly reconciledAt: Date | null;
}

/**
 * Takes the turn with a peer that is approved; undefined while another process has it. The next one comes after its time:
 * what happens from here on brings it forward again.
 */
export async function takeTurn(
  tx: Tx,
  peer: string,
  lease: { readonly id: string; readonly expiresAt: Date; readonly nextAttemptAt: Date },
): Promise<TurnState | undefined> {
  const { sql, workspaceId, now } = tx;
  const [row] = await sql<TurnState[]>`
    update federation_peer
       set lease_id = ${lease.id}, lease_expires_at = ${lease.expiresAt}, next_attempt_at = ${lease.nextAttemptAt}
     where workspace_id = ${workspaceId} and id = ${peer} and removed_at is null and approved_at is not null
       and (lease_id is null or lease_expires_at <= ${now})
    returning pull_cursor as "pullCursor", pushed_seq::float8 as "pushedSeq", reconciled_at as "reconciledAt"`;
  return row;
}

/** Holds the turn on; false when another process has it, or the peer was removed. The row stays locked. */
export async function renewTurn(tx: Tx, peer: string, lease: string, expiresAt: Date): Promise<boolean> {
  const { count } = await tx.sql`
    update federation_peer set lease_expires_at = ${expiresAt}
     where workspace_id = ${tx.workspaceId} and id = ${peer} and lease_id = ${lease}`;
  return count === 1;
}

export async function endTurn(tx: Tx, peer: string, lease: string): Promise<void> {
  await tx.sql`
    update federation_peer set lease_id = null, lease_expires_at = null
     where workspace_id = ${tx.workspaceId} and id = ${peer} and lease_id = ${lease}`;
}

/** Notes how far a peer was read; false when another process has the turn. */
export async function savePulled(tx: Tx, peer: string, lease: string, cursor: string | null): Promise<boolean> {
  const { count } = await tx.sql`
    update federation_peer set pull_cursor = ${cursor}
     where workspace_id = ${tx.workspaceId} and id = ${peer} and lease_id = ${lease}`;
  return count === 1;
}

/** Notes how far a peer was pushed to, and has therefore. */
export async function savePushed(tx: Tx, peer: string, lease: string, seq: number): Promise<boolean> {
  const { count } = await tx.sql`
    update federation_peer set pushed_seq = ${seq}, acked_seq = greatest(acked_seq, ${seq})
     where workspace_id = ${tx.workspaceId} and id = ${peer} and lease_id = ${lease}`;
  return count === 1;
}

/** Adds to what is counted of a peer. */
export async function addCounts(tx: Tx, peer: string, counts: Readonly<Record<string, number>>): Promise<void> {
  const { sql, workspaceId } = tx;
  await sql`
    update federation_peer p set counts = p.counts || (
      select coalesce(jsonb_object_agg(n.key, coalesce((p.counts ->> n.key)::bigint, 0) + n.value::bigint), '{}')
        from jsonb_each_text(${sql.json({ ...counts })}) as n(key, value))
     where p.workspace_id = ${workspaceId} and p.id = ${peer}`;
}

/** Notes that both sides are level now. */
export async function noteLevel(tx: Tx, peer: string): Promise<void> {
  const { sql, workspaceId, now } = tx;
  await sql`
    update federation_peer set level_at = ${now}
     where workspace_id = ${workspaceId} and id = ${peer} and removed_at is null`;
}

/** Puts the next turn off until a time. */
export async function postponeTurn(tx: Tx, peer: string, until: Date): Promise<void> {
  const { sql, workspaceId } = tx;
  await sql`
    update federation_peer set next_attempt_at = ${until}
     where workspace_id = ${workspaceId} and id = ${peer} and removed_at is null and approved_at is not null`;
}

/** Brings the next turn with a peer that is ACTIVE forward to now. */
export async function hurryTurn(tx: Tx, peer: string): Promise<void> {
  const { sql, workspaceId, now } = tx;
  await sql`
    update federation_peer set next_attempt_at = ${now}
     where workspace_id = ${workspaceId} and id = ${peer} and removed_at is null and state = 'ACTIVE'
       and next_attempt_at > ${now}`;
}

/** The open job of exchange with the same wishes, where the transaction sees it. */
export async function findOpenSyncJob(tx: Tx, same: string): Promise<string | undefined> {
  const [row] = await tx.sql<{ id: string }[]>`
    select id from job
     where workspace_id = ${tx.workspaceId} and kind = 'federation_sync' and state in ('queued', 'running')
       and input ->> 'same' = ${same}`;
  return row?.id;
}

/** What a comparison of both sides came to. */
export interface Reconciliation {
  readonly equal: boolean;
  /** Items that differed before the repair. */
  readonly differences: number;
  /** Items that still differ: names of some of them. */
  readonly left: readonly string[];
}

export async function saveReconciliation(tx: Tx, peer: string, found: Reconciliation): Promise<void> {
  const { sql, workspaceId, now } = tx;
  await sql`
    update federation_peer set reconciled_at = ${now}, reconciliation = ${sql.json({ ...found })}
     where workspace_id = ${workspaceId} and id = ${peer}`;
}

/** Has the next turn with a peer come at once, and compare both sides. */
export async function forgetComparison(tx: Tx, peer: string): Promise<void> {
  const { sql, workspaceId, now } = tx;
  await sql`
    update federation_peer
       set reconciled_at = null,
           next_attempt_at = case when state = 'ACTIVE' then least(next_attempt_at, ${now}) else next_attempt_at end
     where workspace_id = ${workspaceId} and id = ${peer} and removed_at is null`;
}

/** An erasure that a peer has to be told. */
export interface PendingErasure {
  readonly origin: ItemName;
  readonly type: ItemType;
  readonly version: number;
  readonly erasedAt: Date;
}

export async function listPendingErasures(tx: Tx, peer: string, limit: number): Promise<PendingErasure[]> {
  return await tx.sql<PendingErasure[]>`
    select jsonb_build_object('instance', origin_instance, 'id', origin_id) as origin, type, version,
           erased_at as "erasedAt"
      from federation_erasure
     where workspace_id = ${tx.workspaceId} and peer_id = ${peer} and acked_at is null
     order by erased_at, origin_instance, origin_id limit ${limit}`;
}

/** Notes that erasures were sent to a peer once more. */
export async function noteErasuresSent(tx: Tx, peer: string, origins: readonly ItemName[]): Promise<void> {
  const [instances, ids] = splitNames(origins);
  await tx.sql`
    update federation_erasure e set attempts = attempts + 1
      from unnest(${instances}::text[], ${ids}::uuid[]) as n(instance, id)
     where e.workspace_id = ${tx.workspaceId} and e.peer_id = ${peer} and e.origin_instance = n.instance
       and e.origin_id = n.id and e.acked_at is null`;
}

/** What a peer made of an erasure. */
export interface ErasureOutcome {
  readonly instance: string;
  readonly id: string;
  readonly version: number;
  readonly outcome: string;
}

/** Keeps what a peer acknowledged, with its signed words: the proof of who was told when. Returns how many there were. */
export async function ackErasures(
  tx: Tx,
  peer: string,
  outcomes: readonly ErasureOutcome[],
  ack: Readonly<Record<string, unknown>>,
): Promise<number> {
  const { sql, workspaceId, now } = tx;
  const { count } = await sql`
    update federation_erasure e set acked_at = ${now}, outcome = n.outcome, ack = ${sql.json(ack as never)}
      from jsonb_to_recordset(${sql.json(outcomes as never)}) as n(instance text, id uuid, version int, outcome text)
     where e.workspace_id = ${workspaceId} and e.peer_id = ${peer} and e.origin_instance = n.instance
       and e.origin_id = n.id and e.version = n.version and e.acked_at is null`;
  return count;
}

/** What is known of one approved peer's turn, of whatever workspace. */
export interface TurnRow {
  readonly workspaceId: string;
  /** The home region of the workspace. */
  readonly region: string;
  readonly peer: string;
  readonly state: PeerState;
  readonly isDue: boolean;
  /** The workspace's feed goes further than what was published of it. */
  readonly hasNews: boolean;
  /** The last place of the order of publication; and how far of it the peer has come. */
  readonly lastSeq: number;
  readonly ackedSeq: number;
  /** The place up to which publication is erasing: notices wait for the peer. */
  readonly hasErasures: boolean;
}

/** The approved peers of all workspaces, and what is to be done with each at a time. */
export async function listTurns(sql: Sql, now: Date): Promise<TurnRow[]> {
  return await sql<TurnRow[]>`
    select workspace_id as "workspaceId", region, peer_id as peer, state, is_due as "isDue", has_news as "hasNews",
           last_seq::float8 as "lastSeq", acked_seq::float8 as "ackedSeq", has_erasures as "hasErasures"
      from svc_system.list_federation_turns(${now})`;
}

/** The workspaces in which a job of exchange waits, or was left by its process. */
export async function listSyncJobs(sql: Sql, now: Date): Promise<{ workspaceId: string; region: string }[]> {
  return await sql<{ workspaceId: string; region: string }[]>`
    select workspace_id as "workspaceId", region from svc_system.list_federation_jobs(${now})`;
}
