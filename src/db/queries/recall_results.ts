/** Statements that read the results of a recall, and the pinned units beside them. */
import type { Tx } from "../tx.ts";
import {
  type Fragment,
  type RowFilter,
  TURN_ATTRIBUTION,
  TURN_TRUST,
  unitConditions,
  unitSource,
} from "./recall_filters.ts";

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
