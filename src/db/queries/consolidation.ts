/** Searches for consolidation. Each is bounded and continues where the one before ended. */
import type { Tx } from "../tx.ts";
import { unitColumns, type UnitRow } from "./unit_columns.ts";

/** The condition that no person took the unit back from a job; the next job leaves such units alone. */
function notReverted(tx: Tx) {
  return tx.sql`
    not exists (
      select from job_step s
       where s.workspace_id = ${tx.workspaceId} and s.reverted_by is not null and u.id = any(s.unit_ids))`;
}

/** Facts in force by their number in the index, which a new text renews. */
export async function listFactsAfter<Body = UnitRow["body"]>(
  tx: Tx,
  docNo: number,
  limit: number,
): Promise<UnitRow<Body>[]> {
  return await tx.sql<UnitRow<Body>[]>`
    select ${unitColumns(tx.sql)} from unit u
     where u.workspace_id = ${tx.workspaceId} and u.type = 'fact' and u.status = 'active' and u.doc_no > ${docNo}
       and (u.expires_at is null or u.expires_at > ${tx.now})
     order by u.doc_no limit ${limit}`;
}

/** Facts that are due to expire and not yet written down as expired, the oldest first. */
export async function listDueFacts<Body = UnitRow["body"]>(tx: Tx, limit: number): Promise<UnitRow<Body>[]> {
  return await tx.sql<UnitRow<Body>[]>`
    select ${unitColumns(tx.sql)} from unit u
     where u.workspace_id = ${tx.workspaceId} and u.type = 'fact' and u.status in ('active', 'contested')
       and u.expires_at <= ${tx.now}
     order by u.expires_at, u.id limit ${limit}`;
}

export interface WorthlessFilter {
  readonly types: readonly string[];
  readonly statuses: readonly string[];
  readonly protectedAttributions: readonly string[];
  readonly worthMax: number;
  /** Neither written nor used since. */
  readonly before: Date;
}

/** Units that are worth less than a threshold, were not touched for long, are not protected and have no open review. */
export async function listWorthless(
  tx: Tx,
  filter: WorthlessFilter,
  limit: number,
  only?: string,
): Promise<UnitRow[]> {
  const { sql, workspaceId: ws } = tx;
  return await sql<UnitRow[]>`
    select ${unitColumns(sql)} from unit u
     where u.workspace_id = ${ws} and u.worth < ${filter.worthMax}::real
       and u.type = any(${filter.types as string[]}::text[]) and u.status = any(${filter.statuses as string[]}::text[])
       and not u.pinned and u.attribution <> all(${filter.protectedAttributions as string[]}::text[])
       and u.updated_at < ${filter.before} and (u.last_used_at is null or u.last_used_at < ${filter.before})
       and (u.expires_at is null or u.expires_at > ${tx.now})
       and exists (
         select from unit_worth w where w.workspace_id = ${ws} and w.unit_id = u.id and w.computed_at is not null)
       and not exists (
         select from review_item r
          where r.workspace_id = ${ws} and r.status = 'open' and (r.subject_id = u.id or r.other_id = u.id))
       and ${notReverted(tx)}
       ${only === undefined ? sql`` : sql`and u.id = ${only}`}
     order by u.worth, u.id limit ${limit}`;
}

/** The latest episodes in force that state their outcome and from which no strategy was derived. */
export async function listUnusedEpisodes<Body = UnitRow["body"]>(tx: Tx, limit: number): Promise<UnitRow<Body>[]> {
  const { sql, workspaceId: ws } = tx;
  return await sql<UnitRow<Body>[]>`
    select ${unitColumns(sql)} from unit u
     where u.workspace_id = ${ws} and u.type = 'episode' and u.status = 'active' and not u.stale
       and u.body ->> 'outcome' is not null
       and not exists (
         select from unit_source s join unit d on d.workspace_id = s.workspace_id and d.id = s.unit_id
          where s.workspace_id = ${ws} and s.source_id = u.id and s.kind = 'derived_from' and d.type = 'strategy')
     order by u.id desc limit ${limit}`;
}

/** Returns those of some units that a person took back from a job. */
export async function findReverted(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await tx.sql<{ id: string }[]>`
    select distinct t.id from job_step s cross join lateral unnest(s.unit_ids) as t(id)
     where s.workspace_id = ${tx.workspaceId} and s.reverted_by is not null and t.id = any(${ids as string[]}::uuid[])`;
  return new Set(rows.map((row) => row.id));
}
