/**
 * Statements on the table `unit`: knowledge units of all types. A unit travels as JSON with the table's column names,
 * one or many in one round trip; a revision's snapshot has the same form.
 */
import type { Sensitivity } from "../../schema/common.ts";
import type { UnitType } from "../../schema/unit.ts";
import type { Tx } from "../tx.ts";
import { unitColumns, type UnitRow } from "./unit_columns.ts";

/** What happened to a unit when a version of it was written. */
export interface VersionNote {
  readonly event: string;
  readonly reason: string | null;
}

/**
 * Units by id, in the order of their ids. `update` locks them against all other writers, `share` against changes while
 * a row that rests on them is written.
 */
export async function findUnits<Body = UnitRow["body"]>(
  tx: Tx,
  ids: readonly string[],
  options: { readonly type?: UnitType; readonly lock?: "update" | "share" } = {},
): Promise<UnitRow<Body>[]> {
  const { sql } = tx;
  const lock = options.lock === "update"
    ? sql`for update of u`
    : options.lock === "share"
    ? sql`for share of u`
    : sql``;
  return await sql<UnitRow<Body>[]>`
    select ${unitColumns(sql)} from unit u
     where u.workspace_id = ${tx.workspaceId} and u.id = any(${ids as string[]}::uuid[])
       ${options.type === undefined ? sql`` : sql`and u.type = ${options.type}`}
     order by u.id ${lock}`;
}

/** The keys by which `lockRivals` finds units to compare a new one with. */
export interface RivalKeys {
  readonly contentHashes: readonly string[];
  readonly said: readonly string[];
  /** For each key only the units that were recorded last are found, at most `most`; null: all. */
  readonly triples?: readonly { readonly key: string; readonly most: number | null }[];
}

/**
 * Units that say the same thing or are about the same subject and predicate, in some statuses, locked. They are looked
 * up by id after `rival_units` has found them: in a join, Postgres would read the whole workspace if it has no statistics
 * of the table yet. The statement hides the workspace from Postgres, which would otherwise plan it anew for a small one
 * each time.
 */
export async function lockRivals<Body = UnitRow["body"]>(
  tx: Tx,
  type: UnitType,
  { contentHashes, said, triples = [] }: RivalKeys,
  statuses: readonly string[],
): Promise<UnitRow<Body>[]> {
  const { sql } = tx;
  const keys = triples.map(({ key }) => key);
  const most = triples.map((triple) => triple.most);
  return await sql<UnitRow<Body>[]>`
    select ${unitColumns(sql)} from unit u
     where u.workspace_id = (select ${tx.workspaceId}::uuid) and u.id = any(array(
       select rival_units(${type}, ${statuses as string[]}, ${contentHashes as string[]}, ${said as string[]}, ${keys},
                        ${most as number[]})))
     order by u.id for no key update of u`;
}

/**
 * Units that are due to expire, oldest first; rows that another worker holds are passed over. The conditions repeat those of
 * the index `unit_expiring`.
 */
export async function lockExpired<Body = UnitRow["body"]>(
  tx: Tx,
  type: UnitType,
  statuses: readonly string[],
  limit: number,
): Promise<UnitRow<Body>[]> {
  return await tx.sql<UnitRow<Body>[]>`
    select ${unitColumns(tx.sql)} from unit u
     where u.workspace_id = ${tx.workspaceId} and u.type = ${type} and u.expires_at <= ${tx.now}
       and u.status in ('active', 'contested') and u.status = any(${statuses as string[]}::text[])
     order by u.expires_at, u.id limit ${limit} for update of u skip locked`;
}

/**
 * Facts that another one was to replace by now, the earliest first; rows that another worker holds are passed over. The
 * conditions repeat those of the index `unit_ending`.
 */
export async function lockEnding<Body = UnitRow["body"]>(
  tx: Tx,
  statuses: readonly string[],
  limit: number,
): Promise<UnitRow<Body>[]> {
  return await tx.sql<UnitRow<Body>[]>`
    select ${unitColumns(tx.sql)} from unit u
     where u.workspace_id = ${tx.workspaceId} and u.valid_to <= ${tx.now}
       and u.type = 'fact' and u.status in ('active', 'contested') and u.body ->> 'supersededBy' is not null
       and u.status = any(${statuses as string[]}::text[])
     order by u.valid_to, u.id limit ${limit} for update of u skip locked`;
}

/** When the next unit of a type is due for `lockExpired`, or fact for `lockEnding`; undefined if none will be. */
export async function readNextEnd(tx: Tx, type: UnitType, statuses: readonly string[]): Promise<Date | undefined> {
  const { sql, workspaceId: ws } = tx;
  const live = sql`u.status = any(${statuses as string[]}::text[])`;
  const [row] = await sql<{ at: Date | null }[]>`
    select least(
      (select min(u.expires_at) from unit u
        where u.workspace_id = ${ws} and u.type = ${type} and u.expires_at is not null
          and u.status in ('active', 'contested') and ${live}),
      (select min(u.valid_to) from unit u
        where u.workspace_id = ${ws} and u.type = 'fact' and u.status in ('active', 'contested')
          and u.body ->> 'supersededBy' is not null and ${live})) as at`;
  return row?.at ?? undefined;
}

/**
 * Facts in force that one of some facts is to replace on a later day. The query reads all facts of the workspace that
 * end in the future: the conditions let it use the index `unit_ending`, but not search by the replacing fact, since
 * `->>` uses no index under row-level security.
 */
export async function findEndedBy<Body = UnitRow["body"]>(tx: Tx, ids: readonly string[]): Promise<UnitRow<Body>[]> {
  if (ids.length === 0) return [];
  return await tx.sql<UnitRow<Body>[]>`
    select ${unitColumns(tx.sql)} from unit u
     where u.workspace_id = ${tx.workspaceId} and u.valid_to > ${tx.now}
       and u.type = 'fact' and u.status in ('active', 'contested') and u.body ->> 'supersededBy' is not null
       and u.body ->> 'supersededBy' = any(${ids as string[]}::text[])`;
}

/**
 * Finds units of a type that are less sensitive than one that superseded them, or is to do so on a later day, and locks
 * them.
 */
export async function lockClosedAbove<Body = UnitRow["body"]>(
  tx: Tx,
  type: UnitType,
  ids: readonly string[],
): Promise<UnitRow<Body>[]> {
  if (ids.length === 0) return [];
  return await tx.sql<UnitRow<Body>[]>`
    select ${unitColumns(tx.sql)} from unit u
     where u.workspace_id = ${tx.workspaceId} and u.type = ${type} and u.status in ('active', 'contested', 'superseded')
       and u.body ->> 'supersededBy' = any(${ids as string[]}::text[])
       and u.sensitivity < (select by.sensitivity from unit by
                             where by.workspace_id = ${tx.workspaceId} and by.id::text = u.body ->> 'supersededBy')
     order by u.id for update`;
}

/** Deletes a unit; its revisions and source links go with it. */
export async function deleteUnit(tx: Tx, id: string): Promise<void> {
  await tx.sql`delete from unit where workspace_id = ${tx.workspaceId} and id = ${id}`;
}

/** Moves a unit to a higher sensitivity without a new version; see `raiseRevisions` for its past. */
export async function raiseUnit(tx: Tx, id: string, to: Sensitivity): Promise<void> {
  await tx.sql`
    update unit set sensitivity = ${to}
     where workspace_id = ${tx.workspaceId} and id = ${id} and sensitivity < ${to}::sensitivity`;
}

/**
 * All names share this many locks: a batch has thousands of names, and the server has room for some thousand locks in
 * all.
 */
const NAME_LOCKS = 512;

/**
 * Serialises transactions of this workspace on names. Takes the locks in one order, so that two transactions cannot deadlock.
 */
export async function lockNames(tx: Tx, names: readonly string[]): Promise<void> {
  await tx.sql`
    select pg_advisory_xact_lock(hashtextextended(${tx.workspaceId} || ' ' || lock, 7305411))
      from (select distinct hashtext(name) & ${
    NAME_LOCKS - 1
  }::int as lock from unnest(${names as string[]}::text[]) as n(name)) as l
     order by lock`;
}
