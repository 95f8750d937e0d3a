/** Statements on `unit_revision`: every version of every unit. They are written by `unit_writes.ts`. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Tx } from "../tx.ts";
import { unitColumns, type UnitRow } from "./unit_columns.ts";

export interface RevisionRow {
  readonly version: number;
  readonly event: string;
  readonly reason: string | null;
  /** When the version began to be in force, and when the next one replaced it. */
  readonly revisedAt: Date;
  readonly replacedAt: Date | null;
  readonly changedBy: string;
  readonly unit: UnitRow;
}

interface FlatRow extends UnitRow, Omit<RevisionRow, "unit" | "version"> {}

function toRevision({ event, reason, revisedAt, replacedAt, changedBy, ...unit }: FlatRow): RevisionRow {
  return { version: unit.version, event, reason, revisedAt, replacedAt, changedBy, unit };
}

export interface RevisionWindow {
  readonly order: "asc" | "desc";
  /** The last version of the page before. */
  readonly after: number | undefined;
  readonly limit: number;
}

export async function listRevisions(tx: Tx, id: string, window: RevisionWindow): Promise<RevisionRow[]> {
  const { sql } = tx;
  const { after, order } = window;
  const beyond = after === undefined
    ? sql``
    : order === "asc"
    ? sql`and r.version > ${after}`
    : sql`and r.version < ${after}`;
  const rows = await sql<FlatRow[]>`
    select ${unitColumns(sql)}, r.event, r.reason, r.recorded_at as "revisedAt", r.replaced_at as "replacedAt",
           r.changed_by as "changedBy"
      from unit_revision r cross join lateral jsonb_populate_record(null::unit, r.snapshot) u
     where r.workspace_id = ${tx.workspaceId} and r.id = ${id} ${beyond}
     order by r.version ${order === "asc" ? sql`asc` : sql`desc`} limit ${window.limit}`;
  return rows.map(toRevision);
}

/** One version, if the transaction's clearance reaches it. */
export async function findRevision(tx: Tx, id: string, version: number): Promise<RevisionRow | undefined> {
  const [row] = await listRevisions(tx, id, { order: "asc", after: version - 1, limit: 1 });
  return row?.version === version ? row : undefined;
}

/** The version that was in force at a time. */
export async function findUnitAt<Body = UnitRow["body"]>(
  tx: Tx,
  id: string,
  time: Date,
): Promise<UnitRow<Body> | undefined> {
  const [row] = await findUnitsAt<Body>(tx, [id], time);
  return row;
}

/** The versions of some units that were in force at a time, as far as they were known then. */
export async function findUnitsAt<Body = UnitRow["body"]>(
  tx: Tx,
  ids: readonly string[],
  time: Date,
): Promise<UnitRow<Body>[]> {
  return await tx.sql<UnitRow<Body>[]>`
    select distinct on (r.id) ${unitColumns(tx.sql)}
      from unit_revision r cross join lateral jsonb_populate_record(null::unit, r.snapshot) u
     where r.workspace_id = ${tx.workspaceId} and r.id = any(${ids as string[]}::uuid[]) and r.recorded_at <= ${time}
       and (r.replaced_at is null or r.replaced_at > ${time})
     order by r.id, r.version desc`;
}

/** The last state of a unit that is none of these, as far as the transaction's clearance reaches. */
export async function findStatusBefore(
  tx: Tx,
  id: string,
  statuses: readonly string[],
): Promise<string | undefined> {
  const [row] = await tx.sql<{ status: string }[]>`
    select snapshot ->> 'status' as status from unit_revision
     where workspace_id = ${tx.workspaceId} and id = ${id} and snapshot ->> 'status' <> all(${statuses as string[]}::text[])
     order by version desc limit 1`;
  return row?.status;
}

/** How many versions of a unit the transaction's clearance reaches. */
export async function countRevisions(tx: Tx, id: string): Promise<number> {
  const [row] = await tx.sql<[{ n: number }]>`
    select count(*)::int as n from unit_revision where workspace_id = ${tx.workspaceId} and id = ${id}`;
  return row.n;
}

/** How many versions of a unit there are, whatever the clearance; an import may lack some that its source had. */
export async function countAllRevisions(tx: Tx, id: string): Promise<number> {
  const [row] = await tx.sql<[{ n: number }]>`select svc_system.count_revisions(${id})::int as n`;
  return row.n;
}

/** Raises all versions below a sensitivity to it, because a later version often says what an earlier one said. */
export async function raiseRevisions(tx: Tx, id: string, to: Sensitivity): Promise<void> {
  await tx.sql`
    update unit_revision set sensitivity = ${to}, snapshot = jsonb_set(snapshot, '{sensitivity}', to_jsonb(${to}::text))
     where workspace_id = ${tx.workspaceId} and id = ${id} and sensitivity < ${to}::sensitivity`;
}

/** Raises the versions of a unit that name the unit which took its place. */
export async function raiseClosedRevisions(tx: Tx, id: string, byId: string, to: Sensitivity): Promise<void> {
  await tx.sql`
    update unit_revision set sensitivity = ${to}, snapshot = jsonb_set(snapshot, '{sensitivity}', to_jsonb(${to}::text))
     where workspace_id = ${tx.workspaceId} and id = ${id} and sensitivity < ${to}::sensitivity
       and snapshot -> 'body' ->> 'supersededBy' = ${byId}`;
}

export interface RevisionText {
  readonly docNo: number;
  readonly text: string;
  /** The aliases and the claims' predicates in its body, with which the index holds it unless the text has them. */
  readonly beside: readonly string[];
  /** The sensitivity of the latest version with this text, under which the index keeps it. */
  readonly sensitivity: Sensitivity;
}

/** Every text that a unit ever had, as the index holds them. */
export async function listRevisionTexts(tx: Tx, id: string): Promise<RevisionText[]> {
  return await tx.sql<RevisionText[]>`
    select distinct on (doc_no) doc_no::float8 as "docNo", snapshot ->> 'text' as text,
           coalesce(snapshot #> '{body,aliases}', '[]') || jsonb_path_query_array(snapshot, '$.body.claims[*].predicate')
             as beside, sensitivity
      from unit_revision
     where workspace_id = ${tx.workspaceId} and id = ${id}
     order by doc_no, version desc`;
}

/** Returns those of some units whose first visible version cites a session, or is the episode of it. */
export async function findBornOf(tx: Tx, sessionId: string, ids: readonly string[]): Promise<string[]> {
  const { sql, workspaceId: ws } = tx;
  const rows = await sql<{ id: string }[]>`
    select first.id from (
      select distinct on (id) id, snapshot -> 'body' as body, snapshot -> 'metadata' as metadata from unit_revision
       where workspace_id = ${ws} and id = any(${ids as string[]}::uuid[]) order by id, version) as first
     where body ->> 'sessionId' = ${sessionId}::text or metadata ->> 'sessionId' = ${sessionId}::text
        or body @> jsonb_build_object('citations', jsonb_build_array(jsonb_build_object('sessionId', ${sessionId}::text)))`;
  return rows.map((row) => row.id);
}
