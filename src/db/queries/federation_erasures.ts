/** Statements on `federation_erasure`: notices of erasure that a peer has not acknowledged yet. */
import type { ItemName, ItemType } from "../../schema/federation_item.ts";
import type { Tx } from "../tx.ts";

/** An erasure of which peers are to be notified. */
export interface ErasureNotice {
  readonly origin: ItemName;
  readonly type: ItemType;
  readonly version: number;
  readonly erasedAt: Date;
  /** The peer that erased the item, and so needs no notice. */
  readonly exceptPeer: string | null;
}

/** Stores notices of erasure for every peer of the workspace. Each is kept until the peer has acknowledged it. */
export async function noteErasures(tx: Tx, notices: readonly ErasureNotice[]): Promise<void> {
  if (notices.length === 0) return;
  const lines = notices.map(({ origin, type, version, erasedAt, exceptPeer }) => ({
    ...{ instance: origin.instance, id: origin.id, type, version, erased_at: erasedAt, except_peer: exceptPeer },
  }));
  await tx.sql`
    insert into federation_erasure (
      workspace_id, peer_id, origin_instance, origin_id, type, version, erased_at, next_attempt_at)
    select ${tx.workspaceId}, p.id, n.instance, n.id, n.type, n.version, n.erased_at, ${tx.now}
      from jsonb_to_recordset(${tx.sql.json(lines as never)}) as n(
             instance text, id uuid, type text, version int, erased_at timestamptz, except_peer text)
      join federation_peer p
        on p.workspace_id = ${tx.workspaceId} and p.removed_at is null and p.id is distinct from n.except_peer
        on conflict do nothing`;
}

export interface ErasureRow {
  readonly origin: ItemName;
  readonly type: ItemType;
  readonly version: number;
  readonly erasedAt: Date;
  readonly attempts: number;
}

/** Lists the notices for a peer that are due, the oldest first. */
export async function listDue(tx: Tx, peerId: string, limit: number): Promise<ErasureRow[]> {
  return await tx.sql<ErasureRow[]>`
    select jsonb_build_object('instance', origin_instance, 'id', origin_id) as origin, type, version,
           erased_at as "erasedAt", attempts
      from federation_erasure
     where workspace_id = ${tx.workspaceId} and peer_id = ${peerId} and acked_at is null
       and next_attempt_at <= ${tx.now}
     order by next_attempt_at, origin_instance, origin_id limit ${limit}`;
}

/** Postpones the due notices for a peer that could not be sent. */
export async function postpone(tx: Tx, peerId: string, until: Date): Promise<void> {
  await tx.sql`
    update federation_erasure set attempts = attempts + 1, next_attempt_at = ${until}
     where workspace_id = ${tx.workspaceId} and peer_id = ${peerId} and acked_at is null
       and next_attempt_at <= ${tx.now}`;
}

/** Stores a peer's answers to notices, with the message that holds them. Returns the ids of the acknowledged items. */
export async function acknowledge(
  tx: Tx,
  peerId: string,
  results: readonly (ItemName & { readonly version: number; readonly outcome: string })[],
  ack: object,
): Promise<string[]> {
  const rows = await tx.sql<{ id: string }[]>`
    update federation_erasure e
       set acked_at = ${tx.now}, outcome = n.outcome, ack = ${tx.sql.json(ack as never)}
      from jsonb_to_recordset(${tx.sql.json(results as never)}) as n(instance text, id uuid, version int, outcome text)
     where e.workspace_id = ${tx.workspaceId} and e.peer_id = ${peerId} and e.origin_instance = n.instance
       and e.origin_id = n.id and e.version = n.version and e.acked_at is null
    returning e.origin_id as id`;
  return rows.map((row) => row.id);
}
