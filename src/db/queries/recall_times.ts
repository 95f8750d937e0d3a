/** Statements by which recall finds what happened, or held, in a window of time. */
import { ENDED_STATUSES, LIVE_STATUSES } from "../../schema/unit_state.ts";
import type { Tx } from "../tx.ts";
import { type Fragment, type RowFilter } from "./recall_filters.ts";

export interface RecallWindow {
  readonly from: Date;
  readonly to: Date;
}

/** A recall reads at most this many rows of one window of time. */
export const WINDOW_ROWS_MAX = 1_000;

/**
 * Sessions with turns in one of the windows, those with the most such turns first. `turns` is one
 * more than the position of the last such turn.
 */
export async function readTemporalGroups(
  tx: Tx,
  windows: readonly RecallWindow[],
  limit: number,
): Promise<{ groupNo: number; turns: number }[]> {
  return await tx.sql<{ groupNo: number; turns: number }[]>`
    select t.group_no::float8 as "groupNo", max(t.position) + 1 as turns
      from unnest(${windows.map((w) => w.from.toISOString())}::timestamptz[], ${
    windows.map((w) => w.to.toISOString())
  }::timestamptz[])
             as w(from_time, to_time)
     cross join lateral (
       select group_no, position from turn
        where workspace_id = ${tx.workspaceId} and occurred_at >= w.from_time and occurred_at < w.to_time
        order by occurred_at desc, doc_no desc limit ${WINDOW_ROWS_MAX}) as t
     group by t.group_no order by count(*) desc, t.group_no limit ${limit}`;
}

/**
 * Units of one of the windows: those that happened, began or ended in it, and those that lasted in it, bounded on both sides.
 * With `byRecording` those that were recorded in it. At most `limit` by each of these signs in each window.
 */
export async function readTemporalUnits(
  tx: Tx,
  windows: readonly RecallWindow[],
  { byRecording, historic }: RowFilter,
  limit: number,
): Promise<number[]> {
  const { sql } = tx;
  const statuses = [...LIVE_STATUSES, ...(historic ? ENDED_STATUSES : [])];
  const find = (column: string, more: Fragment) => {
    const time = sql.unsafe(`u.${column}`);
    return sql`(
      select u.doc_no from unit u
       where u.workspace_id = ${tx.workspaceId} and u.status = any(${statuses}::text[]) and ${more}
       order by ${time} ${sql.unsafe(column === "valid_to" ? "asc" : "desc")}, u.doc_no desc limit ${limit})`;
  };
  const isIn = (column: string) => {
    const time = sql.unsafe(`u.${column}`);
    return sql`${time} >= w.from_time and ${time} < w.to_time` as Fragment;
  };
  const found = byRecording ? find("recorded_at", isIn("recorded_at")) : sql`
    ${find("occurred_at", isIn("occurred_at"))}
    union all ${find("valid_from", sql`${isIn("valid_from")} and u.valid_from <> u.recorded_at` as Fragment)}
    union all ${
    find(
      "valid_to",
      sql`u.valid_to >= w.from_time and case when u.valid_from is null then u.valid_to < w.to_time
            else u.valid_from < w.from_time and u.valid_to > w.from_time end` as Fragment,
    )
  }`;
  const rows = await sql<{ docNo: number }[]>`
    select distinct f.doc_no::float8 as "docNo"
      from unnest(${windows.map((w) => w.from.toISOString())}::timestamptz[], ${
    windows.map((w) => w.to.toISOString())
  }::timestamptz[])
             as w(from_time, to_time)
     cross join lateral (${found}) as f`;
  return rows.map((row) => row.docNo);
}
