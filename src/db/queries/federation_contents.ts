/** Statements on `federation_version.word`: the content of a writer's version, which is kept while no unit shows it. */
import type { ItemName } from "../../schema/federation_item.ts";
import type { Tx } from "../tx.ts";
import { splitNames } from "./federation_versions.ts";

/** The content of a writer's version, with references in the wire form; null: none is kept. */
export interface ContentRow {
  readonly origin: ItemName;
  readonly writer: string;
  readonly content: Readonly<Record<string, unknown>> | null;
}

/** Finds the contents that are kept of some items. */
export async function findContents(tx: Tx, names: readonly ItemName[]): Promise<ContentRow[]> {
  if (names.length === 0) return [];
  const [instances, ids] = splitNames(names);
  return await tx.sql<ContentRow[]>`
    select jsonb_build_object('instance', v.origin_instance, 'id', v.origin_id) as origin, v.writer, v.word as content
      from unnest(${instances}::text[], ${ids}::uuid[]) as n(instance, id)
      join federation_version v
        on v.workspace_id = ${tx.workspaceId} and v.origin_instance = n.instance and v.origin_id = n.id
     where v.word is not null`;
}

/** Stores contents beside the entries of their writers, or deletes them. */
export async function saveContents(tx: Tx, rows: readonly ContentRow[]): Promise<void> {
  if (rows.length === 0) return;
  const lines = rows.map(({ origin, writer, content }) => ({
    origin_instance: origin.instance,
    origin_id: origin.id,
    writer,
    content,
  }));
  await tx.sql`
    update federation_version v set word = n.content
      from jsonb_to_recordset(${tx.sql.json(lines)}) as n(
             origin_instance text, origin_id uuid, writer text, content jsonb)
     where v.workspace_id = ${tx.workspaceId} and v.origin_instance = n.origin_instance and v.origin_id = n.origin_id
       and v.writer = n.writer`;
}

export async function countEntries(tx: Tx, writer: string): Promise<number> {
  const [row] = await tx.sql<[{ n: number }]>`
    select count(*)::int as n from federation_version where workspace_id = ${tx.workspaceId} and writer = ${writer}`;
  return row.n;
}

/** Counts the open conflicts with a writer. */
export async function countConflicts(tx: Tx, writer: string): Promise<number> {
  const [row] = await tx.sql<[{ n: number }]>`
    select count(*)::int as n from federation_conflict
     where workspace_id = ${tx.workspaceId} and writer = ${writer} and state = 'contested'`;
  return row.n;
}

/** Lists items of which a version of a writer was deferred and is kept. Those that were tried longest ago come first. */
export async function listDeferred(tx: Tx, writer: string, limit: number): Promise<ItemName[]> {
  return await tx.sql<ItemName[]>`
    select origin_instance as instance, origin_id as id from federation_version
     where workspace_id = ${tx.workspaceId} and writer = ${writer} and verdict = 'deferred' and word is not null
     order by received_at, origin_instance, origin_id limit ${limit}`;
}

/** Defers versions whose content is kept because one of some units stands for their content. */
export async function putOffStandIns(tx: Tx, unitIds: readonly string[]): Promise<void> {
  if (unitIds.length === 0) return;
  await tx.sql`
    update federation_version v set verdict = 'deferred'
      from federation_item i
     where i.workspace_id = ${tx.workspaceId} and i.unit_id = any(${unitIds as string[]}::uuid[]) and i.role = 'stand_in'
       and v.workspace_id = i.workspace_id and v.origin_instance = i.origin_instance and v.origin_id = i.origin_id
       and v.word is not null and v.verdict in ('shown', 'equal')`;
}

/** Notes that deferred versions were tried once more: others come first the next time. */
export async function noteTried(tx: Tx, writer: string, names: readonly ItemName[]): Promise<void> {
  const [instances, ids] = splitNames(names);
  await tx.sql`
    update federation_version v set received_at = ${tx.now}
      from unnest(${instances}::text[], ${ids}::uuid[]) as n(instance, id)
     where v.workspace_id = ${tx.workspaceId} and v.origin_instance = n.instance and v.origin_id = n.id
       and v.writer = ${writer} and v.verdict = 'deferred'`;
}

/**
 * Deletes all contents that are kept of the item that an erased unit shows. Returns the units that hold other versions of it; none if
 * the unit is such a version itself.
 */
export async function forgetContents(
  tx: Tx,
  unit: { readonly id: string; readonly originInstance: string; readonly originId: string },
): Promise<string[]> {
  const { sql, workspaceId } = tx;
  const rows = await sql<{ id: string }[]>`
    with item as (
      select ${unit.originInstance}::text as instance, ${unit.originId}::uuid as id
       where ${unit.id} = coalesce(
         (select i.unit_id from federation_item i
           where i.workspace_id = ${workspaceId} and i.origin_instance = ${unit.originInstance}
             and i.origin_id = ${unit.originId}), ${unit.originId})
    ), forgotten as (
      update federation_version v set word = null from item
       where v.workspace_id = ${workspaceId} and v.origin_instance = item.instance and v.origin_id = item.id
         and v.word is not null
    )
    select u.id from item
      join unit u on u.workspace_id = ${workspaceId} and u.origin_instance = item.instance and u.origin_id = item.id
     where u.id <> ${unit.id} order by u.id`;
  return rows.map((row) => row.id);
}
