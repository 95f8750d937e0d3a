/** Statements on `entity_name`: which entities have a name, as the transaction may see them. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Tx } from "../tx.ts";

export interface EntityNameRow {
  readonly nameKey: string;
  readonly entityId: string;
  /** `name`: its canonical one. */
  readonly kind: "name" | "alias";
  readonly entityType: string;
  readonly status: string;
  readonly sensitivity: Sensitivity;
}

/** Finds the entities that have the names. A merged entity has none: the survivor has them as aliases. */
export async function findNames(tx: Tx, nameKeys: readonly string[]): Promise<EntityNameRow[]> {
  if (nameKeys.length === 0) return [];
  // OFFSET keeps the look-ups apart: joined, a table without statistics is read as a whole. `(select $1)` hides how short the
  // list is: where the planner sees it, it plans the statement anew each time, which takes longer than to run it.
  return await tx.sql<EntityNameRow[]>`
    select k.name_key as "nameKey", n.entity_id as "entityId", n.kind, n.entity_type as "entityType", n.status,
           n.sensitivity
      from unnest((select ${nameKeys as string[]}::text[])) as k(name_key)
     cross join lateral (
       select * from entity_name
        where workspace_id = (select ${tx.workspaceId}::uuid) and name_key = k.name_key collate "C" offset 0) n
     order by n.entity_id`;
}

/** The names of entities; the canonical name of each comes before its aliases. */
export async function listNames(tx: Tx, entityIds: readonly string[]): Promise<EntityNameRow[]> {
  if (entityIds.length === 0) return [];
  return await tx.sql<EntityNameRow[]>`
    select name_key as "nameKey", entity_id as "entityId", kind, entity_type as "entityType", status, sensitivity
      from entity_name
     where workspace_id = ${tx.workspaceId} and entity_id = any(${entityIds as string[]}::uuid[])
     order by entity_id, kind desc, name_key`;
}

/** Deletes all names of entities. */
export async function deleteNames(tx: Tx, entityIds: readonly string[]): Promise<void> {
  await tx.sql`
    delete from entity_name
     where workspace_id = ${tx.workspaceId} and entity_id = any(${entityIds as string[]}::uuid[])`;
}

/** Gives entities names. Returns those that it stored: another entity of the type may have one of them already. */
export async function insertNames(tx: Tx, names: readonly EntityNameRow[]): Promise<Omit<EntityNameRow, "status">[]> {
  const columns = <K extends keyof EntityNameRow>(key: K) => names.map((name) => name[key]);
  return await tx.sql<Omit<EntityNameRow, "status">[]>`
    insert into entity_name (workspace_id, name_key, entity_id, kind, entity_type, status, sensitivity)
    select ${tx.workspaceId}, name_key, entity_id, kind, entity_type, status, sensitivity::sensitivity
      from unnest(${columns("nameKey")}::text[], ${columns("entityId")}::uuid[], ${columns("kind")}::text[],
                  ${columns("entityType")}::text[], ${columns("status")}::text[], ${columns("sensitivity")}::text[])
           as t(name_key, entity_id, kind, entity_type, status, sensitivity)
     order by name_key, entity_id
        on conflict do nothing
    returning name_key as "nameKey", entity_id as "entityId", kind, entity_type as "entityType", sensitivity`;
}
