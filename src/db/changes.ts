/** Appends to the change feed, one of the last statements of a writing transaction. */
import type { ChangeInput, RecordedChange, Tx } from "./tx.ts";

/** The notification channel; a message is `<workspaceId> <last seq>` and only wakes readers up. */
export const CHANGE_CHANNEL = "svc_change";

/**
 * Appends all changes of a transaction in order. The row lock on the head is held from here to the commit, which is
 * what makes sequence numbers gapless and visible in order.
 * @throws TypeError immediately, before anything is sent, when a payload cannot be written as JSON
 */
export function writeChanges(tx: Tx, changes: readonly ChangeInput[]): Promise<readonly RecordedChange[]> {
  const rows = changes.map((change, index) => ({
    index,
    kind: change.kind,
    resource_type: change.resourceType,
    resource_id: change.resourceId,
    version: change.version,
    sensitivity: change.sensitivity,
    payload: change.payload ?? {},
  }));
  // `JSON.stringify` throws here and not inside the promise, because COMMIT is sent right behind the statement without
  // waiting for its result.
  return send(tx, changes, JSON.stringify(rows));
}

/** Locks the end of the feed until the commit. A transaction without changes calls it in place of `writeChanges`. */
export async function lockFeed(tx: Tx): Promise<void> {
  await tx.sql`
    insert into feed_head as h (workspace_id, seq) values (${tx.workspaceId}, 0)
    on conflict (workspace_id) do update set seq = h.seq`;
}

async function send(tx: Tx, changes: readonly ChangeInput[], rows: string): Promise<readonly RecordedChange[]> {
  const [head] = await tx.sql<[{ seq: string }]>`
    with head as (
      insert into feed_head as h (workspace_id, seq) values (${tx.workspaceId}, ${changes.length})
      on conflict (workspace_id) do update set seq = h.seq + excluded.seq
      returning seq
    ), appended as (
      insert into change (workspace_id, seq, kind, resource_type, resource_id, version, sensitivity, actor, recorded_at, payload)
      select ${tx.workspaceId}, head.seq - ${changes.length} + 1 + r.index, r.kind, r.resource_type, r.resource_id,
             r.version, r.sensitivity, ${tx.actor}, ${tx.now}, r.payload
        from head, jsonb_to_recordset(${rows}::text::jsonb) as r(
          index int, kind text, resource_type text, resource_id uuid, version int, sensitivity sensitivity, payload jsonb)
    )
    select seq, pg_notify(${CHANGE_CHANNEL}, ${tx.workspaceId} || ' ' || seq) from head`;
  const last = Number(head.seq);
  return changes.map((change, index) => ({ ...change, seq: last - changes.length + 1 + index }));
}
