/** Usage statistics of a workspace: counts of what the transaction's clearance sees. */
import { LIVE_STATUSES } from "../../schema/unit_state.ts";
import type { Sql, Tx } from "../tx.ts";

export interface NamedCount {
  readonly name: string;
  readonly n: number;
}

export function countTasksByStatus({ sql, workspaceId, now }: Tx): Promise<NamedCount[]> {
  // A lease that ran out counts as given back before the worker gets to it.
  return sql<NamedCount[]>`
    select case when status = 'in_progress' and lease_expires_at <= ${now} then 'pending' else status end as name,
           count(*)::int as n
      from task where workspace_id = ${workspaceId} group by 1 order by 1`;
}

export function countOpenReviewsByKind({ sql, workspaceId }: Tx): Promise<NamedCount[]> {
  return sql<NamedCount[]>`
    select kind as name, count(*)::int as n from review_item
     where workspace_id = ${workspaceId} and status = 'open' group by 1 order by 1`;
}

export function countJobsByState({ sql, workspaceId }: Tx): Promise<NamedCount[]> {
  return sql<NamedCount[]>`
    select state as name, count(*)::int as n from job where workspace_id = ${workspaceId} group by 1 order by 1`;
}

export function countSessions({ sql, workspaceId }: Tx): Promise<{ name: string; n: number; tokens: number }[]> {
  return sql<{ name: string; n: number; tokens: number }[]>`
    select status as name, count(*)::int as n, coalesce(sum(token_count), 0)::float8 as tokens
      from session where workspace_id = ${workspaceId} group by 1 order by 1`;
}

/** The most frequent tags of units in force. */
export function countTags({ sql, workspaceId, now }: Tx, limit: number): Promise<{ tag: string; units: number }[]> {
  return sql<{ tag: string; units: number }[]>`
    select t.tag, count(*)::int as units from unit u cross join lateral unnest(u.tags) as t(tag)
     where u.workspace_id = ${workspaceId} and u.status = any(${[...LIVE_STATUSES]}::text[])
       and (u.expires_at is null or u.expires_at > ${now})
     group by 1 order by 2 desc, 1 limit ${limit}`;
}

export interface DayRow {
  readonly day: string;
  readonly recalls: number;
  readonly recallHits: number;
  readonly unitsCreated: number;
  readonly turnsRecorded: number;
}

/** Counts of each of the last days, in UTC, the oldest first. */
export function countDays({ sql, workspaceId: ws, now }: Tx, days: number): Promise<DayRow[]> {
  const today = now.toISOString().slice(0, 10);
  return sql<DayRow[]>`
    with day as (
      select (${today}::date - g) as day from generate_series(0, ${days - 1}::int) as g
    ), usage as (
      select day, coalesce(sum(value) filter (where name = 'recall'), 0)::int as recalls,
             coalesce(sum(value) filter (where name = 'recall_hit'), 0)::int as hits
        from usage_counter where workspace_id = ${ws} and day > ${today}::date - ${days}::int group by day
    ), made as (
      select (created_at at time zone 'UTC')::date as day, count(*)::int as n from unit
       where workspace_id = ${ws} and created_at >= (${today}::date - ${days - 1}::int)::timestamp at time zone 'UTC'
       group by 1
    ), said as (
      select (recorded_at at time zone 'UTC')::date as day, count(*)::int as n from turn
       where workspace_id = ${ws} and recorded_at >= (${today}::date - ${days - 1}::int)::timestamp at time zone 'UTC'
       group by 1
    )
    select to_char(day.day, 'YYYY-MM-DD') as day, coalesce(usage.recalls, 0) as recalls,
           coalesce(usage.hits, 0) as "recallHits", coalesce(made.n, 0) as "unitsCreated",
           coalesce(said.n, 0) as "turnsRecorded"
      from day left join usage using (day) left join made using (day) left join said using (day)
     order by day.day`;
}

/** Tables that hold a workspace's data. */
const TABLES = [
  "unit",
  "unit_revision",
  "turn",
  "session",
  "posting",
  "embedding",
  "change",
  "task",
  "event",
  "review_item",
  "snapshot",
  "job_step",
] as const;

/** Rows of each table, and the size of some of them. */
export async function measureTables(
  tx: Tx,
  sampled: number,
): Promise<{ name: string; rows: number; rowBytes: number }[]> {
  const measured = [];
  for (const name of TABLES) {
    const [row] = await tx.sql<[{ rows: number; rowBytes: number }]>`
      select (select count(*) from ${tableOf(tx.sql, name)} where workspace_id = ${tx.workspaceId})::float8 as rows,
             (select coalesce(avg(pg_column_size(s.*)), 0) from (
                select * from ${
      tableOf(tx.sql, name)
    } where workspace_id = ${tx.workspaceId} limit ${sampled}) s)::float8
               as "rowBytes"`;
    measured.push({ name, ...row });
  }
  return measured;
}

/** A name of the list above; nothing of a caller. */
function tableOf(sql: Sql, name: (typeof TABLES)[number]) {
  return sql.unsafe(name);
}
