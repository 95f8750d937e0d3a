/** Recall's reads of the rows behind the index. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Tx } from "../tx.ts";
import {
  type Conditions,
  isTold,
  type RowFilter,
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
