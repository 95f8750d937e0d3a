/** The numbers of a workspace's vitals, and those of the metrics page over all workspaces. */
import type { Sql, Tx } from "../scope.ts";

export interface VitalsRow {
  readonly liveFacts: number;
  readonly pinned: number;
  readonly turns: number;
  readonly sessions: number;
  readonly embedded: number;
  readonly notEmbedded: number;
  readonly recalls: number;
  readonly recallHits: number;
  readonly lastWriteAt: Date | null;
  readonly changeSeq: number;
}

/** Counts what the transaction's clearance may see. */
export async function readVitals(tx: Tx): Promise<VitalsRow> {
  const ws = tx.workspaceId;
  const [row] = await tx.sql<[VitalsRow]>`
    select
      (select count(*)::int from unit where workspace_id = ${ws} and type = 'fact' and status in ('active', 'contested')) as "liveFacts",
      (select count(*)::int from unit where workspace_id = ${ws} and pinned)
        + (select count(*)::int from turn where workspace_id = ${ws} and pinned) as "pinned",
      (select count(*)::int from turn where workspace_id = ${ws}) as "turns",
      (select count(*)::int from session where workspace_id = ${ws}) as "sessions",
      (select count(*)::int from embedding where workspace_id = ${ws}) as "embedded",
      (select count(*)::int from embedding_pending where workspace_id = ${ws}) as "notEmbedded",
      coalesce((select sum(value) from usage_counter
        where workspace_id = ${ws} and name = 'recall' and day > current_date - 7), 0)::int as "recalls",
      coalesce((select sum(value) from usage_counter
        where workspace_id = ${ws} and name = 'recall_hit' and day > current_date - 7), 0)::int as "recallHits",
      (select recorded_at from change where workspace_id = ${ws} order by seq desc limit 1) as "lastWriteAt",
      coalesce((select seq from feed_head where workspace_id = ${ws}), 0)::int as "changeSeq"`;
  return row;
}

/** Facts by workspace, type and status; for `Database.system`, because only outside of any workspace are all seen. */
export function countFacts(sql: Sql) {
  return sql<{ workspaceId: string; type: string; status: string; count: number }[]>`
    select workspace_id as "workspaceId", fact_type as "type", status, facts::float8 as "count"
      from svc_system.count_facts()`;
}

/** Knowledge units by worth in tenths, 0 to 9. */
export function countWorth(sql: Sql) {
  return sql<{ tenth: number; count: number }[]>`
    select tenth, units::float8 as "count" from svc_system.count_worth()`;
}
