/** Statements on `entity_merge`: entities that were merged into others, with the end of each chain. */
import type { Tx } from "../scope.ts";

/** The entities that stand for merged ones now; others are left out. */
export async function findSurvivors(tx: Tx, ids: readonly string[]): Promise<{ sourceId: string; rootId: string }[]> {
  if (ids.length === 0) return [];
  return await tx.sql<{ sourceId: string; rootId: string }[]>`
    select source_id as "sourceId", root_id as "rootId" from entity_merge
     where workspace_id = ${tx.workspaceId} and source_id = any(${ids as string[]}::uuid[])`;
}

/** The merged entities for which others stand, also by way of a third. */
export async function findMembers(tx: Tx, rootIds: readonly string[]): Promise<{ sourceId: string; rootId: string }[]> {
  if (rootIds.length === 0) return [];
  return await tx.sql<{ sourceId: string; rootId: string }[]>`
    select source_id as "sourceId", root_id as "rootId" from entity_merge
     where workspace_id = ${tx.workspaceId} and root_id = any(${rootIds as string[]}::uuid[])
     order by source_id`;
}
