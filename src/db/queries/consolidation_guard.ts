/** The numbers that the consolidation gate checks, and who held or released it. */
import type { Sql, Tx } from "../tx.ts";

export interface GateActionRow {
  readonly id: string;
  readonly action: "hold" | "release";
  readonly reason: string;
  readonly by: string;
  readonly at: Date;
}

function columns(sql: Sql) {
  return sql`id, action, reason, acted_by as "by", acted_at as "at"`;
}

/** The last holds and releases, the newest first. */
export async function listGateActions(tx: Tx, limit: number): Promise<GateActionRow[]> {
  return await tx.sql<GateActionRow[]>`
    select ${columns(tx.sql)} from gate_action
     where workspace_id = ${tx.workspaceId} order by id desc limit ${limit}`;
}

export async function insertGateAction(
  tx: Tx,
  { id, action, reason }: Pick<GateActionRow, "id" | "action" | "reason">,
): Promise<void> {
  await tx.sql`
    insert into gate_action (workspace_id, id, action, reason, acted_at, acted_by)
    values (${tx.workspaceId}, ${id}, ${action}, ${reason}, ${tx.now}, ${tx.actor})`;
}

/** Facts stored since a time, counted up to `most`. */
export async function countNewFacts(tx: Tx, since: Date | null, most: number): Promise<number> {
  const { sql } = tx;
  const [row] = await sql<[{ n: number }]>`
    select count(*)::int as n from (
      select from unit
       where workspace_id = ${tx.workspaceId} and type = 'fact' ${
    since === null ? sql`` : sql`and created_at > ${since}`
  }
       limit ${most}) as counted`;
  return row.n;
}

/** Open reviews of contested facts, counted up to `most`. */
export async function countContested(tx: Tx, most: number): Promise<number> {
  const [row] = await tx.sql<[{ n: number }]>`
    select count(*)::int as n from (
      select from review_item
       where workspace_id = ${tx.workspaceId} and status = 'open' and kind = 'contested_fact' limit ${most}) as counted`;
  return row.n;
}

/** When a unit was last written. */
export async function readLastUnitWrite(tx: Tx): Promise<Date | null> {
  const [row] = await tx.sql<{ at: Date }[]>`
    select updated_at as at from unit where workspace_id = ${tx.workspaceId} order by updated_at desc limit 1`;
  return row?.at ?? null;
}
