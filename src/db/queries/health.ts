/** The numbers of a workspace's vitals. */
import type { Tx } from "../scope.ts";

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
