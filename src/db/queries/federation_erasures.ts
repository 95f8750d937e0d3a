/** Statements on `federation_erasure`: notices of erasure that a peer has not acknowledged yet. */
import type { ItemName, ItemType } from "../../schema/federation_item.ts";
import type { Tx } from "../tx.ts";

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
