/**
 * Statements on `federation_item` and on the origins of units: which local id an item has, and which item a unit or
 * relation is. An item is named by the instance where it began and its id there, so that nobody can take the id of
 * another's item.
 */
import type { ItemName } from "../../schema/federation_item.ts";
import type { Tx } from "../tx.ts";
import { splitNames } from "./federation_versions.ts";

/** The data about an item besides the versions of its writers. */
export interface ItemRow {
  readonly origin: ItemName;
  readonly unitId: string;
  /**
   * `unit`: the unit is the item. `stand_in`: another unit that says the same stands for the item. `reserved`: the item
   * is not here, and something names it.
   */
  readonly role: "unit" | "stand_in" | "reserved";
  /** The version that is shown; null: this instance's own version, or none. */
  readonly shownWriter: string | null;
  readonly shownVersion: number | null;
  /** The hash of the shown version, lower-case hex. Its writer may have published another version since. */
  readonly shownHash: string | null;
  /** The version vector of what is shown: for each writer, the latest version that its author knew, itself included. */
  readonly context: Readonly<Record<string, number>>;
  /** For each writer, the latest version that was decided against. */
  readonly settled: Readonly<Record<string, number>>;
  /** Whether a caller of this instance wrote or kept what is shown. */
  readonly isOwn: boolean;
}

/** Finds the rows of some items. */
export async function findItems(
  tx: Tx,
  names: readonly ItemName[],
  options: { readonly lock?: boolean } = {},
): Promise<ItemRow[]> {
  if (names.length === 0) return [];
  const { sql } = tx;
  const [instances, ids] = splitNames(names);
  return await sql<ItemRow[]>`
    select ${itemColumns(tx)}
      from unnest(${instances}::text[], ${ids}::uuid[]) as n(instance, id)
      join federation_item i
        on i.workspace_id = ${tx.workspaceId} and i.origin_instance = n.instance and i.origin_id = n.id
     order by i.origin_instance, i.origin_id ${options.lock ? sql`for update of i` : sql``}`;
}

/** Finds the rows of the items that some units and relations are, or stand for. */
export async function findItemsOfUnits(tx: Tx, unitIds: readonly string[]): Promise<ItemRow[]> {
  if (unitIds.length === 0) return [];
  return await tx.sql<ItemRow[]>`
    select ${itemColumns(tx)} from federation_item i
     where i.workspace_id = ${tx.workspaceId} and i.unit_id = any(${unitIds as string[]}::uuid[])
     order by i.origin_instance, i.origin_id`;
}

function itemColumns({ sql }: Tx) {
  return sql`
    jsonb_build_object('instance', i.origin_instance, 'id', i.origin_id) as origin, i.unit_id as "unitId", i.role,
    i.shown_writer as "shownWriter", i.shown_version as "shownVersion", encode(i.shown_hash, 'hex') as "shownHash", i.context, i.settled, i.is_own as "isOwn"`;
}

/** Inserts rows of items, or replaces the stored ones. */
export async function saveItems(tx: Tx, rows: readonly ItemRow[]): Promise<void> {
  if (rows.length === 0) return;
  const lines = rows.map((row) => ({
    origin_instance: row.origin.instance,
    origin_id: row.origin.id,
    unit_id: row.unitId,
    role: row.role,
    shown_writer: row.shownWriter,
    shown_version: row.shownVersion,
    shown_hash: row.shownHash,
    context: row.context,
    settled: row.settled,
    is_own: row.isOwn,
  }));
  await tx.sql`
    insert into federation_item (
      workspace_id, origin_instance, origin_id, unit_id, role, shown_writer, shown_version, shown_hash, context, settled,
      is_own)
    select ${tx.workspaceId}, n.origin_instance, n.origin_id, n.unit_id, n.role, n.shown_writer, n.shown_version,
           decode(n.shown_hash, 'hex'), n.context, n.settled, n.is_own
      from jsonb_to_recordset(${tx.sql.json(lines)}) as n(
             origin_instance text, origin_id uuid, unit_id uuid, role text, shown_writer text, shown_version int,
             shown_hash text, context jsonb, settled jsonb, is_own boolean)
        on conflict (workspace_id, origin_instance, origin_id) do update set
           unit_id = excluded.unit_id, role = excluded.role, shown_writer = excluded.shown_writer,
           shown_version = excluded.shown_version, shown_hash = excluded.shown_hash, context = excluded.context,
           settled = excluded.settled, is_own = excluded.is_own`;
}

/** Returns those of some ids that are taken: by a unit, a relation, an erased resource or another item. */
export async function findTaken(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { sql, workspaceId } = tx;
  const wanted = sql`any(${ids as string[]}::uuid[])`;
  const rows = await sql<{ id: string }[]>`
    select id from unit where workspace_id = ${workspaceId} and id = ${wanted}
     union select id from relation where workspace_id = ${workspaceId} and id = ${wanted}
     union select resource_id from deletion_log where workspace_id = ${workspaceId} and resource_id = ${wanted}
     union select unit_id from federation_item where workspace_id = ${workspaceId} and unit_id = ${wanted}`;
  return new Set(rows.map((row) => row.id));
}

/** Finds units by their origins. Units whose local id equals their id at the origin come first. */
export async function findByOrigin(tx: Tx, names: readonly ItemName[]): Promise<{ origin: ItemName; id: string }[]> {
  if (names.length === 0) return [];
  const [instances, ids] = splitNames(names);
  return await tx.sql<{ origin: ItemName; id: string }[]>`
    select jsonb_build_object('instance', u.origin_instance, 'id', u.origin_id) as origin, u.id
      from unnest(${instances}::text[], ${ids}::uuid[]) as n(instance, id)
      join unit u on u.workspace_id = ${tx.workspaceId} and u.origin_instance = n.instance and u.origin_id = n.id
     order by u.id = u.origin_id desc, u.id`;
}

/** Returns the origins of some units. */
export async function findOrigins(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, ItemName>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.sql<(ItemName & { unitId: string })[]>`
    select u.id as "unitId", u.origin_instance as instance, u.origin_id as id from unit u
     where u.workspace_id = ${tx.workspaceId} and u.id = any(${ids as string[]}::uuid[])`;
  return new Map(rows.map(({ unitId, instance, id }) => [unitId, { instance, id }]));
}

/** Returns, for each text, the entities that its author named. */
export async function listGiven(tx: Tx, docNos: readonly number[]): Promise<ReadonlyMap<number, readonly string[]>> {
  if (docNos.length === 0) return new Map();
  const rows = await tx.sql<{ docNo: number; ids: string[] }[]>`
    select doc_no::float8 as "docNo", array_agg(entity_id) as ids from mention
     where workspace_id = ${tx.workspaceId} and given and doc_no = any(${docNos as number[]}::bigint[])
     group by doc_no`;
  return new Map(rows.map(({ docNo, ids }) => [docNo, ids]));
}
