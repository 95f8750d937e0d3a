/** Snapshots of workspaces, and the counts that they are made of, by sensitivity. */
import type { Sensitivity } from "../../schema/common.ts";
import { LIVE_STATUSES } from "../../schema/unit_state.ts";
import type { Tx } from "../tx.ts";

export interface UnitCountRow {
  readonly sensitivity: Sensitivity;
  readonly type: string;
  readonly status: string;
  readonly attribution: string;
  readonly tenth: number;
  readonly pinned: boolean;
  readonly inForce: boolean;
  readonly stale: boolean;
  readonly n: number;
}

/**
 * Counts all units by their properties, in one pass, in an order that no plan of the database changes. An expiry counts from
 * its moment on.
 */
export async function countUnits(tx: Tx): Promise<UnitCountRow[]> {
  const live = [...LIVE_STATUSES];
  return await tx.sql<UnitCountRow[]>`
    select u.sensitivity, u.type, s.status, u.attribution, least(9, floor(u.worth::numeric * 10))::int as tenth, u.pinned,
           s.status = any(${live}::text[]) as "inForce", u.stale, count(*)::int as n
      from unit u cross join lateral (
        select case when u.status = any(${live}::text[]) and u.expires_at <= ${tx.now} then 'expired' else u.status end
                 as status) s
     where u.workspace_id = ${tx.workspaceId}
     group by 1, 2, 3, 4, 5, 6, 7, 8 order by 2, 3, 4, 1, 5, 6, 7, 8`;
}

export interface OtherCountRow {
  readonly sensitivity: Sensitivity;
  readonly name: "turns" | "pinnedTurns" | "sessions" | "embedded" | "notEmbedded" | "openReviews";
  readonly n: number;
}

/** Counts the other contents of a workspace. A text is embedded when it has a vector of a current model. */
export async function countOthers(tx: Tx, current: readonly string[]): Promise<OtherCountRow[]> {
  const { sql, workspaceId: ws } = tx;
  return await sql<OtherCountRow[]>`
    select sensitivity, 'turns' as name, count(*)::int as n from turn where workspace_id = ${ws} group by 1
    union all
    select sensitivity, 'pinnedTurns', count(*)::int from turn where workspace_id = ${ws} and pinned group by 1
    union all
    select sensitivity, 'sessions', count(*)::int from session where workspace_id = ${ws} group by 1
    union all
    select sensitivity, case when model = any(${current as string[]}::text[]) then 'embedded' else 'notEmbedded' end, count(*)::int
      from embedding where workspace_id = ${ws} group by 1, 2
    union all
    select sensitivity, 'notEmbedded', count(*)::int from embedding_pending where workspace_id = ${ws} group by 1
    union all
    select sensitivity, 'openReviews', count(*)::int from review_item
     where workspace_id = ${ws} and status = 'open' group by 1`;
}

/** The latest units in force. */
export async function sampleUnits(
  tx: Tx,
  limit: number,
): Promise<{ sensitivity: Sensitivity; text: string }[]> {
  return await tx.sql<{ sensitivity: Sensitivity; text: string }[]>`
    select u.sensitivity, left(u.text, 4000) as text from unit u
     where u.workspace_id = ${tx.workspaceId} and u.status = any(${[...LIVE_STATUSES]}::text[])
     order by u.updated_at desc limit ${limit}`;
}

/** The tokens of words, by the sensitivity of the texts that hold them; a word that no text holds has none. */
export async function readTokens(
  tx: Tx,
  words: readonly string[],
): Promise<{ sensitivity: Sensitivity; word: string; token: string }[]> {
  return await tx.sql<{ sensitivity: Sensitivity; word: string; token: string }[]>`
    select sensitivity, term as word, token from vocabulary
     where workspace_id = ${tx.workspaceId} and term = any(${words as string[]}::text[])`;
}

/**
 * The sum of the vectors of the latest texts of units that were in force at a moment, by sensitivity, as JSON arrays; at
 * most `limit` texts. Texts that were erased since are not among them.
 */
export async function sumVectors(
  tx: Tx,
  model: string,
  { at, limit }: { readonly at: Date; readonly limit: number },
): Promise<{ sensitivity: Sensitivity; texts: number; sum: string }[]> {
  return await tx.sql<{ sensitivity: Sensitivity; texts: number; sum: string }[]>`
    select e.sensitivity, count(*)::int as texts, sum(e.vector)::text as sum
      from (
        select doc_no from unit_revision
         where workspace_id = ${tx.workspaceId} and recorded_at <= ${at} and (replaced_at is null or replaced_at > ${at})
           and snapshot ->> 'status' = any(${[...LIVE_STATUSES]}::text[])
         order by doc_no desc limit ${limit}) as text
      join embedding e on e.workspace_id = ${tx.workspaceId} and e.doc_no = text.doc_no and e.model = ${model}
     group by e.sensitivity`;
}

/** When something of each sensitivity was last written after a place in the change feed. */
export async function readLastWrites(tx: Tx, seq: number): Promise<{ sensitivity: Sensitivity; at: Date }[]> {
  return await tx.sql<{ sensitivity: Sensitivity; at: Date }[]>`
    select sensitivity, max(recorded_at) as at from change
     where workspace_id = ${tx.workspaceId} and seq > ${seq} group by sensitivity`;
}

/** Recalls of the last seven days, and the place that the change feed has reached. */
export async function readUsage(tx: Tx): Promise<{ recalls: number; recallHits: number; seq: number }> {
  const { sql, workspaceId: ws } = tx;
  const [row] = await sql<[{ recalls: number; recallHits: number; seq: number }]>`
    select coalesce(sum(value) filter (where name = 'recall'), 0)::int as recalls,
           coalesce(sum(value) filter (where name = 'recall_hit'), 0)::int as "recallHits",
           coalesce((select seq from feed_head where workspace_id = ${ws}), 0)::float8 as seq
      from usage_counter
     where workspace_id = ${ws} and day > ${tx.now}::timestamptz::date - 7`;
  return row;
}

export interface SnapshotRow<Data> {
  readonly id: string;
  readonly periodStart: Date;
  readonly takenAt: Date;
  readonly sensitivity: Sensitivity;
  readonly data: Data;
  /** In how many of the latest units each word occurred, by its token. */
  readonly words: Readonly<Record<string, number>>;
}

/** Stores a snapshot; rows of a period that has one already are passed over. */
export async function insertSnapshot<Data>(tx: Tx, rows: readonly SnapshotRow<Data>[]): Promise<void> {
  const { sql } = tx;
  const json = sql.json(
    rows.map((row) => ({
      id: row.id,
      period_start: row.periodStart,
      taken_at: row.takenAt,
      sensitivity: row.sensitivity,
      data: row.data,
      words: row.words,
    })),
  );
  await sql`
    insert into snapshot (workspace_id, id, period_start, taken_at, sensitivity, data, words)
    select ${tx.workspaceId}, n.id, n.period_start, n.taken_at, n.sensitivity, n.data, n.words
      from jsonb_to_recordset(${json}) as n(
        id uuid, period_start timestamptz, taken_at timestamptz, sensitivity sensitivity, data jsonb, words jsonb)
        on conflict do nothing`;
}

export interface SnapshotFilter {
  readonly id?: string | undefined;
  /** Taken then or later, and before then. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  /** The period of the last snapshot on the previous page. */
  readonly after?: Date | undefined;
  readonly order: "asc" | "desc";
  readonly limit: number;
  /** Without words, which only the measure of drift needs. */
  readonly isLight?: boolean;
}

/** Snapshots in the order of time, each with the rows that the transaction's clearance sees. */
export async function listSnapshots<Data>(tx: Tx, filter: SnapshotFilter): Promise<SnapshotRow<Data>[]> {
  const { sql, workspaceId: ws } = tx;
  const { id, from, to, after, order } = filter;
  const direction = order === "asc" ? sql`asc` : sql`desc`;
  const words = filter.isLight === true ? sql`'{}'::jsonb as words` : sql`s.words`;
  return await sql<SnapshotRow<Data>[]>`
    select s.id, s.period_start as "periodStart", s.taken_at as "takenAt", s.sensitivity, s.data, ${words}
      from snapshot s
     where s.workspace_id = ${ws} and s.period_start in (
       select period_start from snapshot
        where workspace_id = ${ws} and sensitivity = 'public'
          ${id === undefined ? sql`` : sql`and id = ${id}`}
          ${from === undefined ? sql`` : sql`and taken_at >= ${from}`}
          ${to === undefined ? sql`` : sql`and taken_at < ${to}`}
          ${
    after === undefined ? sql`` : order === "asc" ? sql`and period_start > ${after}` : sql`and period_start < ${after}`
  }
        order by period_start ${direction} limit ${filter.limit})
     order by s.period_start ${direction}, s.sensitivity`;
}

export interface SnapshotState {
  /** The latest snapshot: the place in the change feed and the recalls of seven days that it shows; -1 in old rows. */
  readonly last: { readonly takenAt: Date; readonly seq: number; readonly recalls: number } | undefined;
  /** The same now. */
  readonly usage: Awaited<ReturnType<typeof readUsage>>;
  /** Whether a snapshot that is a day older than the latest one shows the same place in the feed. */
  readonly isSettled: boolean;
}

/** What decides whether another snapshot is due. */
export async function readSnapshotState(tx: Tx): Promise<SnapshotState> {
  const { sql, workspaceId: ws } = tx;
  const [[last], usage] = await Promise.all([
    sql<{ takenAt: Date; seq: number; recalls: number; isSettled: boolean }[]>`
      with latest as materialized (
        select taken_at, coalesce((data ->> 'seq')::float8, -1) as seq, coalesce((data ->> 'recalls')::float8, -1) as recalls
          from snapshot where workspace_id = ${ws} and sensitivity = 'public' order by period_start desc limit 1)
      select l.taken_at as "takenAt", l.seq, l.recalls,
             coalesce((select (b.data ->> 'seq')::float8 = l.seq from snapshot b
                        where b.workspace_id = ${ws} and b.sensitivity = 'public'
                          and b.taken_at <= l.taken_at - interval '1 day'
                        order by b.period_start desc limit 1), false) as "isSettled"
        from latest l`,
    readUsage(tx),
  ]);
  return { last, usage, isSettled: last?.isSettled ?? false };
}

/** Deletes snapshots from before a time, except the newest that was taken at `neededAt` or before. */
export async function deleteSnapshots(
  tx: Tx,
  { before, neededAt }: { readonly before: Date; readonly neededAt: Date },
): Promise<void> {
  await tx.sql`
    delete from snapshot
     where workspace_id = ${tx.workspaceId} and period_start < ${before}
       and period_start is distinct from (
         select max(period_start) from snapshot
          where workspace_id = ${tx.workspaceId} and sensitivity = 'public' and taken_at <= ${neededAt})`;
}
