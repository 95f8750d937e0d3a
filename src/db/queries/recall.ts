/** Recall's reads of the rows behind the index. */
import type { Sensitivity } from "../../schema/common.ts";
import { ENDED_STATUSES, LIVE_STATUSES } from "../../schema/unit_state.ts";
import type { Tx } from "../tx.ts";
import {
  type Conditions,
  type Fragment,
  isTold,
  type RowFilter,
  TURN_ATTRIBUTION,
  TURN_TRUST,
  turnConditions,
  turnFilters,
  unitConditions,
  unitFilters,
  unitSource,
} from "./recall_filters.ts";

/** The last turns of a session before a position, oldest first. */
export async function listTurnsBefore(
  tx: Tx,
  sessionId: string,
  position: number,
  limit: number,
): Promise<{ content: string; author: string }[]> {
  const rows = await tx.sql<{ content: string; author: string }[]>`
    select content, coalesce(name, role) as author from turn
     where workspace_id = ${tx.workspaceId} and session_id = ${sessionId} and position < ${position}
     order by position desc limit ${limit}`;
  return rows.reverse();
}

/** Whether all claims of a unit deny something. */
const DENIES = `
    (jsonb_path_exists(u.body, '$.claims[*] ? (@.polarity == false)')
      and not jsonb_path_exists(u.body, '$.claims[*] ? (@.polarity == true)'))`;

/** The columns of a candidate that ranking needs. */
export interface CandidateRow {
  readonly docNo: number;
  /** The session's number; 0 = none. */
  readonly groupNo: number;
  readonly position: number;
  readonly speaker: string | null;
  /** A turn's role. */
  readonly role: string | null;
  readonly occurredMs: number | null;
  readonly validFromMs: number | null;
  readonly validToMs: number | null;
  readonly tripleKey: string | null;
  /** Null: it is a turn. */
  readonly status: string | null;
  readonly trustScore: number | null;
  /** Whether a unit only denies something; null for a turn. */
  readonly denies: boolean | null;
  readonly recordedAt: Date | null;
  /** `DocBits`; null: to be computed from the text. */
  readonly bits: number | null;
  readonly text: string | null;
}

/** Turns that the filters let through, by number, or by place if no number is known. */
export async function readTurnCandidates(
  tx: Tx,
  wanted: {
    readonly docs: readonly number[];
    readonly groups: readonly number[];
    readonly positions: readonly number[];
  },
  filter: RowFilter,
): Promise<CandidateRow[]> {
  const { sql } = tx;
  const columns = sql`
    t.doc_no::float8 as "docNo", t.group_no::float8 as "groupNo", t.position, t.name as speaker, t.role,
    extract(epoch from t.occurred_at)::float8 * 1000 as "occurredMs", null::float8 as "validFromMs",
    null::float8 as "validToMs", null::text as "tripleKey", null::text as status, null::int as "trustScore", null::boolean as denies,
    null::timestamptz as "recordedAt", (t.features ->> 'bits')::int as bits,
    null::text as text`;
  return await sql<CandidateRow[]>`
    select ${columns} from turn t
     where t.doc_no = any(${wanted.docs as number[]}::bigint[]) and ${turnConditions(tx, filter)}
    union all
    select ${columns}
      from unnest(${wanted.groups as number[]}::bigint[], ${wanted
    .positions as number[]}::int[]) as w(group_no, position)
      join session s on s.workspace_id = ${tx.workspaceId} and s.group_no = w.group_no
      join turn t on t.session_id = s.id and t.position = w.position
     where ${turnConditions(tx, filter)}`;
}

/** Units that the filters let through; the texts of those in `known` are not needed again. */
export async function readUnitCandidates(
  tx: Tx,
  docs: readonly number[],
  known: readonly number[],
  filter: RowFilter,
): Promise<CandidateRow[]> {
  const { sql } = tx;
  const docNo = filter.knownAt === null ? sql`u.doc_no` : sql`r.doc_no`;
  const [happened, began, ended] = filter.byRecording
    ? ["u.recorded_at", "null::timestamptz", "null::timestamptz"]
    // A replacing unit that states no beginning got its recording time as `valid_from`; that is no
    // time of its own.
    : ["u.occurred_at", "nullif(u.valid_from, u.recorded_at)", "u.valid_to"];
  const ms = (time: string) => sql`extract(epoch from ${sql.unsafe(time)})::float8 * 1000`;
  return await sql<CandidateRow[]>`
    select u.doc_no::float8 as "docNo", 0 as "groupNo", 0 as position, null::text as speaker, null::text as role,
           ${ms(happened!)} as "occurredMs", ${ms(began!)} as "validFromMs", ${
    ms(ended!)
  } as "validToMs", u.triple_key as "tripleKey", u.status, u.trust_score as "trustScore",
    ${sql.unsafe(DENIES)} as denies,
           u.recorded_at as "recordedAt", null::int as bits,
           case when u.doc_no = any(${known as number[]}::bigint[]) then null else u.text end as text
      from ${unitSource(tx, filter)}
     where ${docNo} = any(${docs as number[]}::bigint[]) and ${unitConditions(tx, filter)}`;
}

/** A row in the form in which a result shows it. */
export interface ResultRow {
  readonly docNo: number;
  readonly id: string;
  readonly type: string;
  readonly text: string;
  readonly status: string;
  readonly stale: boolean;
  /** Another instance has a version that contradicts it. */
  readonly disputed: boolean;
  readonly attribution: string;
  readonly trustScore: number;
  readonly sensitivity: string;
  readonly pinned: boolean;
  readonly occurredAt: Date | null;
  readonly validFrom: Date | null;
  readonly validTo: Date | null;
  readonly recordedAt: Date;
  readonly citations: readonly unknown[] | null;
  readonly entityIds: readonly string[];
  readonly sessionId: string | null;
  readonly messageId: string | null;
  readonly role: string | null;
  readonly name: string | null;
  readonly position: number | null;
  readonly tags: readonly string[];
  readonly tripleKey: string | null;
}

function turnColumns(tx: Tx): Fragment {
  return tx.sql`
    t.doc_no::float8 as "docNo", t.id, 'turn' as type, t.content as text, 'active' as status, false as stale,
    false as disputed, ${tx.sql.unsafe(TURN_ATTRIBUTION)} as attribution, ${
    tx.sql.unsafe(TURN_TRUST)
  } as "trustScore", t.sensitivity,
    t.pinned, t.occurred_at as "occurredAt", null::timestamptz as "validFrom", null::timestamptz as "validTo",
    t.recorded_at as "recordedAt", null::jsonb as citations, t.entity_ids as "entityIds", t.session_id as "sessionId", t.message_id as "messageId",
    t.role, t.name, t.position, t.tags, null::text as "tripleKey"` as Fragment;
}

function unitColumns(tx: Tx): Fragment {
  return tx.sql`
    u.doc_no::float8 as "docNo", u.id, u.type, u.text, u.status, u.stale,
    coalesce(u.disputed, false) as disputed, u.attribution, u.trust_score as "trustScore",
    u.sensitivity, u.pinned, u.occurred_at as "occurredAt", u.valid_from as "validFrom", u.valid_to as "validTo",
    u.recorded_at as "recordedAt", u.body -> 'citations' as citations, u.entity_ids as "entityIds", u.body ->> 'sessionId' as "sessionId",
    null::text as "messageId", null::text as role, null::text as name, null::int as position, u.tags,
    u.triple_key as "tripleKey"` as Fragment;
}

export async function readTurnResults(tx: Tx, docs: readonly number[]): Promise<ResultRow[]> {
  return await tx.sql<ResultRow[]>`
    select ${turnColumns(tx)} from turn t
     where t.workspace_id = ${tx.workspaceId} and t.doc_no = any(${docs as number[]}::bigint[])`;
}

export async function readUnitResults(tx: Tx, docs: readonly number[], filter: RowFilter): Promise<ResultRow[]> {
  const docNo = filter.knownAt === null ? tx.sql`u.doc_no` : tx.sql`r.doc_no`;
  return await tx.sql<ResultRow[]>`
    select ${unitColumns(tx)} from ${unitSource(tx, filter)}
     where ${docNo} = any(${docs as number[]}::bigint[]) and ${unitConditions(tx, filter)}`;
}

/** Pinned units that the filters let through, the latest first. */
export async function readPinned(tx: Tx, filter: RowFilter, limit: number): Promise<ResultRow[]> {
  const { sql } = tx;
  return await sql<ResultRow[]>`
    select ${unitColumns(tx)} from ${unitSource(tx, filter)}
     where u.pinned and ${filter.knownAt === null ? sql`true` : sql`r.snapshot @> '{"pinned": true}'`}
       and ${unitConditions(tx, filter)}
     order by u.updated_at desc, u.id limit ${limit}`;
}

export interface RecallWindow {
  readonly from: Date;
  readonly to: Date;
}

/** The most rows of one window that are read. */
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

/** The number of a session; undefined if it is not visible. */
export async function findGroup(tx: Tx, sessionId: string): Promise<number | undefined> {
  const [row] = await tx.sql<{ groupNo: number }[]>`
    select group_no::float8 as "groupNo" from session where workspace_id = ${tx.workspaceId} and id = ${sessionId}`;
  return row?.groupNo;
}

export interface NeighbourRow {
  readonly sessionId: string;
  readonly position: number;
  readonly id: string;
  readonly messageId: string;
  readonly role: string;
  readonly name: string | null;
  readonly text: string;
  readonly occurredAt: Date;
}

/** The turns up to `reach` places before and after some turns, and not those themselves. */
export async function readNeighbours(
  tx: Tx,
  turns: readonly { readonly sessionId: string; readonly position: number }[],
  reach: number,
  knownAt: Date | null,
): Promise<NeighbourRow[]> {
  return await tx.sql<NeighbourRow[]>`
    select distinct t.session_id as "sessionId", t.position, t.id, t.message_id as "messageId", t.role, t.name,
           t.content as text, t.occurred_at as "occurredAt"
      from unnest(${turns.map((turn) => turn.sessionId)}::uuid[], ${turns.map((turn) => turn.position)}::int[])
             as w(session_id, position)
      join turn t on t.workspace_id = ${tx.workspaceId} and t.session_id = w.session_id
       and t.position between w.position - ${reach}::int and w.position + ${reach}::int and t.position <> w.position
     where ${knownAt}::timestamptz is null or t.recorded_at <= ${knownAt}::timestamptz
     order by t.session_id, t.position`;
}

export async function readTurnTexts(tx: Tx, docs: readonly number[]): Promise<{ docNo: number; text: string }[]> {
  return await tx.sql<{ docNo: number; text: string }[]>`
    select doc_no::float8 as "docNo", content as text from turn
     where workspace_id = ${tx.workspaceId} and doc_no = any(${docs as number[]}::bigint[])`;
}

/** Texts of units, also those that an earlier version had. */
export async function readUnitTexts(tx: Tx, docs: readonly number[]): Promise<{ docNo: number; text: string }[]> {
  return await tx.sql<{ docNo: number; text: string }[]>`
    select distinct on (doc_no) doc_no::float8 as "docNo", snapshot ->> 'text' as text from unit_revision
     where workspace_id = ${tx.workspaceId} and doc_no = any(${docs as number[]}::bigint[])
     order by doc_no, version desc`;
}

/** A turn or unit with the result of each filter. */
export interface SubjectRow extends Readonly<Record<keyof Conditions, boolean>> {
  readonly id: string;
  readonly docNo: number;
  readonly type: string;
  readonly status: string;
  readonly sensitivity: Sensitivity;
  readonly trustScore: number;
  /** False: only its name is known, and bare names were not asked for. */
  readonly told: boolean;
}

/** Turns and units by id, each with the results of the filters; units as they were known at the filter's time. */
export async function findSubjects(tx: Tx, ids: readonly string[], filter: RowFilter): Promise<SubjectRow[]> {
  const { sql } = tx;
  const listed = (conditions: Conditions) =>
    sql`
    ${conditions.inForce} as "inForce", ${conditions.inSession} as "inSession", ${conditions.inWindow} as "inWindow",
    ${conditions.trusted} as "trusted", ${conditions.tagged} as "tagged", ${conditions.satisfies} as "satisfies"`;
  const turns = turnFilters(tx, filter);
  const was = filter.knownAt === null ? sql`unit u` : sql`unit n
      left join unit_revision r on r.workspace_id = n.workspace_id and r.id = n.id and r.recorded_at <= ${filter.knownAt}
                               and (r.replaced_at is null or r.replaced_at > ${filter.knownAt})
     cross join lateral jsonb_populate_record(n, r.snapshot) u`;
  const known = filter.knownAt === null ? sql`true` : sql`r.id is not null`;
  const [found, units] = await Promise.all([
    sql<SubjectRow[]>`
      select t.id, t.doc_no::float8 as "docNo", 'turn' as type, 'active' as status, t.sensitivity,
             ${sql.unsafe(TURN_TRUST)} as "trustScore", ${turns.known} as known, true as told, ${listed(turns)}
        from turn t where t.workspace_id = ${tx.workspaceId} and t.id = any(${ids as string[]}::uuid[])`,
    sql<SubjectRow[]>`
      select u.id, u.doc_no::float8 as "docNo", u.type, u.status, u.sensitivity, u.trust_score as "trustScore",
             ${known} as known, ${isTold(tx, filter)} as told, ${listed(unitFilters(tx, filter))}
        from ${was}
       where ${filter.knownAt === null ? sql`u.workspace_id` : sql`n.workspace_id`} = ${tx.workspaceId}
         and u.id = any(${ids as string[]}::uuid[])`,
  ]);
  return [...found, ...units];
}
