/** Statements on `entity_merge`: entities that were merged into others, with the end of each chain. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Tx } from "../tx.ts";

export interface EntityMergeRow {
  readonly sourceId: string;
  /** The entity into which it was merged directly. */
  readonly survivorId: string;
  /** The end of the chain. */
  readonly rootId: string;
  /** The call that merged it, and the version of the survivor that this made; null if it was merged elsewhere. */
  readonly mergeId: string | null;
  readonly survivorVersion: number | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Merged entities by their own ids, in the order of the merges. */
export async function findMerges(tx: Tx, sourceIds: readonly string[]): Promise<EntityMergeRow[]> {
  if (sourceIds.length === 0) return [];
  return await tx.sql<EntityMergeRow[]>`
    select source_id as "sourceId", survivor_id as "survivorId", root_id as "rootId", merge_id as "mergeId",
           survivor_version as "survivorVersion", detail
      from entity_merge
     where workspace_id = ${tx.workspaceId} and source_id = any(${sourceIds as string[]}::uuid[])
     order by merged_at, source_id`;
}

/**
 * The entities that were merged into the given ones, directly (`survivor`) or also through others
 * (`root`), in the order of the merges.
 */
export async function findMembers(
  tx: Tx,
  by: "survivor" | "root",
  ids: readonly string[],
): Promise<EntityMergeRow[]> {
  if (ids.length === 0) return [];
  const { sql } = tx;
  return await sql<EntityMergeRow[]>`
    select source_id as "sourceId", survivor_id as "survivorId", root_id as "rootId", merge_id as "mergeId",
           survivor_version as "survivorVersion", detail
      from entity_merge
     where workspace_id = ${tx.workspaceId}
       and ${by === "root" ? sql`root_id` : sql`survivor_id`} = any(${ids as string[]}::uuid[])
     order by merged_at, source_id`;
}

/** Links an entity to its survivor, and with it all entities that were merged into it. */
export async function linkMerge(
  tx: Tx,
  link: { readonly sourceId: string; readonly survivorId: string; readonly sensitivity: Sensitivity },
): Promise<void> {
  const { sourceId, survivorId, sensitivity } = link;
  await tx.sql`
    with root as (
      select coalesce((select root_id from entity_merge
                        where workspace_id = ${tx.workspaceId} and source_id = ${survivorId}), ${survivorId}::uuid) as id
    ), moved as (
      update entity_merge m
         set root_id = root.id, sensitivity = greatest(m.sensitivity, ${sensitivity}::sensitivity)
        from root
       where m.workspace_id = ${tx.workspaceId} and m.root_id = ${sourceId} and m.source_id <> root.id
    )
    insert into entity_merge (workspace_id, source_id, survivor_id, root_id, sensitivity, merged_at, merged_by)
    select ${tx.workspaceId}, ${sourceId}, ${survivorId}, root.id, ${sensitivity}, ${tx.now}, ${tx.actor} from root
        on conflict (workspace_id, source_id)
        do update set survivor_id = excluded.survivor_id, root_id = excluded.root_id`;
}

/** Stores the data that are needed to undo the merge of an entity. */
export async function noteMerge(
  tx: Tx,
  merge: Pick<EntityMergeRow, "sourceId" | "mergeId" | "survivorVersion" | "detail">,
): Promise<void> {
  await tx.sql`
    update entity_merge
       set merge_id = ${merge.mergeId}, survivor_version = ${merge.survivorVersion},
           detail = ${tx.sql.json(merge.detail)}
     where workspace_id = ${tx.workspaceId} and source_id = ${merge.sourceId}`;
}

/**
 * Undoes a merge: separates the entity from its survivor again, together with the entities that were merged into it.
 */
export async function unlinkMerge(tx: Tx, sourceId: string): Promise<void> {
  await tx.sql`delete from entity_merge where workspace_id = ${tx.workspaceId} and source_id = ${sourceId}`;
  await tx.sql`
    with recursive member as (
      select source_id from entity_merge where workspace_id = ${tx.workspaceId} and survivor_id = ${sourceId}
      union
      select m.source_id from member
        join entity_merge m on m.workspace_id = ${tx.workspaceId} and m.survivor_id = member.source_id
    )
    update entity_merge m set root_id = ${sourceId}
      from member where m.workspace_id = ${tx.workspaceId} and m.source_id = member.source_id`;
}

/** Raises the sensitivity of an entity's merge rows, so that only readers who are cleared for the entity see them. */
export async function raiseMerges(tx: Tx, rootId: string, sensitivity: Sensitivity): Promise<void> {
  await tx.sql`
    update entity_merge set sensitivity = ${sensitivity}
     where workspace_id = ${tx.workspaceId} and root_id = ${rootId} and sensitivity < ${sensitivity}::sensitivity`;
}

/** A version of a survivor is in force again under another number. */
export async function renumberMerges(tx: Tx, survivorId: string, from: number, to: number): Promise<void> {
  await tx.sql`
    update entity_merge set survivor_version = ${to}
     where workspace_id = ${tx.workspaceId} and survivor_id = ${survivorId} and survivor_version = ${from}`;
}
