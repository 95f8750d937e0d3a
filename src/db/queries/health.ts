/** The numbers of a workspace's vitals, and those of the metrics page over all workspaces. */
import type { Sql, Tx } from "../tx.ts";

export interface VitalsRow {
  readonly liveFacts: number;
  readonly pinned: number;
  readonly turns: number;
  readonly sessions: number;
  readonly embedded: number;
  readonly notEmbedded: number;
  /** Statements whose links to newer ones are still to be made. */
  readonly notLinked: number;
  readonly recalls: number;
  readonly recallHits: number;
  readonly worthDue: number;
  readonly changesBehind: number;
  readonly openJobs: number;
  readonly openReviews: number;
  readonly lastWriteAt: Date | null;
  readonly changeSeq: number;
}

/**
 * Counts what the transaction's clearance may see. A text is embedded when it has a vector of a current model; an
 * expiry counts from its moment on, also before the worker has written it down.
 */
export async function readVitals(tx: Tx, current: readonly string[]): Promise<VitalsRow> {
  const { sql, workspaceId: ws, now } = tx;
  const [row] = await sql<[VitalsRow]>`
    with live as (
      select type, status, pinned from unit
       where workspace_id = ${ws} and (pinned or type = 'fact')
         and status not in ('superseded', 'retracted', 'archived', 'expired', 'rejected', 'retired')
         and (expires_at is null or expires_at > ${now})
    ), texts as (
      select count(*) filter (where model = any(${current as string[]}::text[]))::int as embedded,
             count(*) filter (where model <> all(${current as string[]}::text[]))::int as outdated
        from embedding where workspace_id = ${ws}
    ), recalls as (
      select coalesce(sum(value) filter (where name = 'recall'), 0)::int as all,
             coalesce(sum(value) filter (where name = 'recall_hit'), 0)::int as hits
        from usage_counter
       where workspace_id = ${ws} and day > ${now}::timestamptz::date - 7
    ), links as (
      select coalesce((select before_doc from newer_cursor where workspace_id = ${ws}),
                      (select doc_no from newer_start), 0) as place
    )
    select
      (select count(*)::int from turn, links where workspace_id = ${ws} and doc_no < place and role = 'user'
          and erased_at is null)
        + (select count(*)::int from unit, links where workspace_id = ${ws} and doc_no < place and type = 'fact'
              and status in ('active', 'contested')) as "notLinked",
      (select count(*)::int from live where type = 'fact' and status in ('active', 'contested')) as "liveFacts",
      (select count(*)::int from live where pinned)
        + (select count(*)::int from turn where workspace_id = ${ws} and pinned) as "pinned",
      (select count(*)::int from turn where workspace_id = ${ws}) as "turns",
      (select count(*)::int from session where workspace_id = ${ws}) as "sessions",
      texts.embedded as "embedded",
      texts.outdated + (select count(*)::int from embedding_pending where workspace_id = ${ws}) as "notEmbedded",
      recalls.all as "recalls",
      recalls.hits as "recallHits",
      (select count(*)::int from unit_worth w join unit u on u.workspace_id = w.workspace_id and u.id = w.unit_id
        where w.workspace_id = ${ws} and w.due_at <= ${now}) as "worthDue",
      (coalesce((select seq from feed_head where workspace_id = ${ws}), 0)
        - coalesce((select seq from worth_cursor where workspace_id = ${ws}), 0))::int as "changesBehind",
      (select count(*)::int from job where workspace_id = ${ws} and state in ('queued', 'running')) as "openJobs",
      (select count(*)::int from review_item where workspace_id = ${ws} and status = 'open') as "openReviews",
      (select recorded_at from change where workspace_id = ${ws} order by seq desc limit 1) as "lastWriteAt",
      coalesce((select seq from feed_head where workspace_id = ${ws}), 0)::float8 as "changeSeq"
      from texts, recalls`;
  return row;
}

/**
 * Facts by workspace, type and status; for `Database.system`, because all are visible only outside of any workspace.
 */
export function countFacts(sql: Sql) {
  return sql<{ workspaceId: string; type: string; status: string; count: number }[]>`
    select workspace_id as "workspaceId", fact_type as "type", status, facts::float8 as "count"
      from svc_system.count_facts()`;
}

/** Texts of all workspaces that have no vector of one of these models. */
export function countUnembedded(sql: Sql, models: readonly string[]) {
  return sql<{ texts: number }[]>`select svc_system.count_unembedded(${models as string[]}::text[])::float8 as texts`;
}

/** Knowledge units by worth in tenths, 0 to 9. */
export function countWorth(sql: Sql) {
  return sql<{ tenth: number; count: number }[]>`
    select tenth, units::float8 as "count" from svc_system.count_worth()`;
}
