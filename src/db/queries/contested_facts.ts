/** Queries for contested facts, and for the facts that they may have been contested by. */
import type { Tx } from "../tx.ts";
import { unitColumns, type UnitRow } from "./unit_columns.ts";
import type { VersionNote } from "./units.ts";

/**
 * Lists those of the given facts that were contested, are not contested now, and still have an open review about it.
 */
export async function listOutOfContest<Body>(
  tx: Tx,
  ids: readonly string[],
): Promise<(UnitRow<Body> & VersionNote)[]> {
  if (ids.length === 0) return [];
  const { sql, workspaceId: ws } = tx;
  return await sql<(UnitRow<Body> & VersionNote)[]>`
    select ${unitColumns(sql)}, last.event, last.reason
      from unit u
     cross join lateral (
       select event, reason from unit_revision
        where workspace_id = ${ws} and id = u.id order by version desc limit 1) last
     where u.workspace_id = ${ws} and u.id = any(${ids as string[]}::uuid[]) and u.type = 'fact'
       and u.status <> 'contested'
       and exists (
         select from review_item
          where workspace_id = ${ws} and subject_id = u.id and kind = 'contested_fact' and status = 'open')
       and exists (
         select from unit_revision
          where workspace_id = ${ws} and id = u.id and snapshot ->> 'status' = 'contested')
     order by u.id`;
}

/**
 * Finds contested facts that some facts may have contradicted: those with one of these triple keys, and those whose open or
 * dismissed review names one of the facts as the other side.
 */
export async function findContestedBy<Body>(
  tx: Tx,
  tripleKeys: readonly string[],
  ids: readonly string[],
): Promise<UnitRow<Body>[]> {
  const { sql, workspaceId: ws } = tx;
  return await sql<UnitRow<Body>[]>`
    with asked as materialized (
      select id from unit
       where workspace_id = ${ws} and type = 'fact' and status = 'contested'
         and triple_key = any(${tripleKeys as string[]}::text[])
      union
      select subject_id from review_item
       where workspace_id = ${ws} and other_id = any(${ids as string[]}::uuid[]) and kind = 'contested_fact'
         and status in ('open', 'dismissed')
    )
    select ${unitColumns(sql)} from unit u
     where u.workspace_id = ${ws} and u.id in (select id from asked) and u.type = 'fact' and u.status = 'contested'`;
}

/**
 * Finds the triple keys of contested facts that the given facts may have contradicted: facts that still exist are matched
 * by the triples of their earlier live versions, erased facts by the reviews that name them.
 */
export async function findTriplesReleasedBy(
  tx: Tx,
  ids: readonly string[],
  erasedIds: readonly string[],
): Promise<string[]> {
  const { sql, workspaceId: ws } = tx;
  const rows = await sql<{ key: string }[]>`
    with said as materialized (
      select distinct r.snapshot ->> 'triple_key' as key
        from unit_revision r join unit u on u.workspace_id = r.workspace_id and u.id = r.id
       where r.workspace_id = ${ws} and r.id = any(${ids as string[]}::uuid[]) and r.version < u.version
         and r.snapshot ->> 'status' in ('active', 'contested')
    )
    select c.triple_key as key from unit c
     where c.workspace_id = ${ws} and c.type = 'fact' and c.status = 'contested'
       and c.triple_key in (select key from said)
    union
    select c.triple_key
      from review_item i join unit c on c.workspace_id = i.workspace_id and c.id = i.subject_id
     where i.workspace_id = ${ws} and i.kind = 'contested_fact' and i.status in ('open', 'dismissed')
       and cardinality(${erasedIds as string[]}::uuid[]) > 0
       and (i.other_id = any(${erasedIds as string[]}::uuid[])
            or i.detail -> 'rivalIds' ?| ${erasedIds as string[]}::text[])
       and c.status = 'contested' and c.triple_key is not null`;
  return rows.map((row) => row.key);
}
