/** The data that are kept about a removed peer, and how they are deleted. */
import type { ItemName, ItemType } from "../../schema/federation_item.ts";
import type { Tx } from "../tx.ts";
import { splitNames } from "./federation_versions.ts";

/** Whether and when a peer was removed; undefined: the workspace never had it. */
export async function findRemoval(tx: Tx, id: string): Promise<{ uid: string; removedAt: Date | null } | undefined> {
  const [row] = await tx.sql<{ uid: string; removedAt: Date | null }[]>`
    select uid, removed_at as "removedAt" from federation_peer where workspace_id = ${tx.workspaceId} and id = ${id}`;
  return row;
}

export async function countReceived(tx: Tx, peer: string): Promise<{ items: number; remoteFacts: number }> {
  const [row] = await tx.sql<[{ items: number; remoteFacts: number }]>`
    select (select count(*)::int from federation_version
             where workspace_id = ${tx.workspaceId} and writer = ${peer} and not is_deleted) as items,
           (select count(*)::int from federation_remote_fact
             where workspace_id = ${tx.workspaceId} and peer_id = ${peer}) as "remoteFacts"`;
  return row;
}

/** The next entries of a writer, in the order of the digest. */
export async function listEntriesOf(
  tx: Tx,
  writer: string,
  limit: number,
): Promise<{ origin: ItemName; type: ItemType }[]> {
  return await tx.sql<{ origin: ItemName; type: ItemType }[]>`
    select jsonb_build_object('instance', origin_instance, 'id', origin_id) as origin, type from federation_version
     where workspace_id = ${tx.workspaceId} and writer = ${writer} order by bucket, key limit ${limit}`;
}

/** Deletes a writer's entries of some items from the register. */
export async function deleteEntriesOf(tx: Tx, writer: string, names: readonly ItemName[]): Promise<void> {
  const [instances, ids] = splitNames(names);
  await tx.sql`
    delete from federation_version v using unnest(${instances}::text[], ${ids}::uuid[]) as n(instance, id)
     where v.workspace_id = ${tx.workspaceId} and v.writer = ${writer} and v.origin_instance = n.instance
       and v.origin_id = n.id`;
}

/** Makes the next sync run with a peer compare both sides. */
export async function compareAgain(tx: Tx, peer: string): Promise<void> {
  await tx.sql`
    update federation_peer set reconciled_at = null where workspace_id = ${tx.workspaceId} and id = ${peer}`;
}

/** Forgets how far the exchange with a peer had come: one that is added again is read from its beginning. */
export async function resetExchange(tx: Tx, peer: string): Promise<void> {
  await tx.sql`
    update federation_peer
       set pull_cursor = null, remote_epoch = null, reconciled_at = null, reconciliation = null, counts = '{}',
           told = '{}', level_at = null, last_error = null, updated_at = ${tx.now}
     where workspace_id = ${tx.workspaceId} and id = ${peer}`;
}
