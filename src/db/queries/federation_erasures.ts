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
      from jsonb_to_recordset(${tx.sql.json(lines)}) as n(
             instance text, id uuid, type text, version int, erased_at timestamptz, except_peer text)
      join federation_peer p
        on p.workspace_id = ${tx.workspaceId} and p.removed_at is null and p.id is distinct from n.except_peer
        on conflict do nothing`;
}
