/**
 * Statements on the table `unit`: knowledge units of all types. A unit travels as JSON with the table's column names,
 * one or many in one round trip; a revision's snapshot has the same form.
 */
import type { Attribution, Sensitivity } from "../../schema/common.ts";
import type { UnitType } from "../../schema/unit.ts";
import type { Sql, Tx } from "../tx.ts";

/** A row of `unit`. `Body` is the typed rest of the resource, in the API's names. */
export interface UnitRow<Body = Readonly<Record<string, unknown>>> {
  readonly id: string;
  readonly type: UnitType;
  readonly version: number;
  readonly status: string;
  readonly attribution: Attribution;
  readonly trustScore: number;
  /** The least trust among what it was derived from; it only falls. */
  readonly trustCap: number;
  readonly confidence: number;
  readonly sensitivity: Sensitivity;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly worth: number;
  readonly pinned: boolean;
  readonly contentHash: string;
  readonly originInstance: string;
  readonly originId: string;
  readonly derivedFrom: readonly string[];
  readonly stale: boolean;
  /** What recall indexes and shows. */
  readonly text: string;
  readonly docNo: number;
  readonly body: Body;
  readonly tripleKey: string | null;
  readonly validFrom: Date | null;
  readonly validTo: Date | null;
  readonly recordedAt: Date;
  readonly retractedAt: Date | null;
  readonly occurredAt: Date | null;
  readonly expiresAt: Date | null;
  readonly entityIds: readonly string[];
  readonly corroborationCount: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly createdBy: string;
}

/** What happened to a unit when a version of it was written. */
export interface VersionNote {
  readonly event: string;
  readonly reason: string | null;
}

/** The columns of `unit` (or of a row of its type under the alias `u`) as a `UnitRow`. */
export function unitColumns(sql: Sql) {
  return sql`
    u.id, u.type, u.version, u.status, u.attribution, u.trust_score as "trustScore", u.trust_cap as "trustCap",
    u.confidence, u.sensitivity, u.tags, u.metadata, u.worth, u.pinned, u.content_hash as "contentHash",
    u.origin_instance as "originInstance", u.origin_id as "originId", u.derived_from as "derivedFrom", u.stale, u.text,
    u.doc_no::float8 as "docNo", u.body, u.triple_key as "tripleKey", u.valid_from as "validFrom",
    u.valid_to as "validTo", u.recorded_at as "recordedAt", u.retracted_at as "retractedAt",
    u.occurred_at as "occurredAt", u.expires_at as "expiresAt", u.entity_ids as "entityIds",
    u.corroboration_count as "corroborationCount", u.created_at as "createdAt", u.updated_at as "updatedAt",
    u.created_by as "createdBy"`;
}

/** A unit as JSON with the column names. */
export function unitToColumns(unit: UnitRow, workspaceId: string) {
  return {
    workspace_id: workspaceId,
    id: unit.id,
    type: unit.type,
    version: unit.version,
    status: unit.status,
    attribution: unit.attribution,
    trust_score: unit.trustScore,
    trust_cap: unit.trustCap,
    confidence: unit.confidence,
    sensitivity: unit.sensitivity,
    tags: unit.tags,
    metadata: unit.metadata,
    worth: unit.worth,
    pinned: unit.pinned,
    content_hash: unit.contentHash,
    origin_instance: unit.originInstance,
    origin_id: unit.originId,
    derived_from: unit.derivedFrom,
    stale: unit.stale,
    text: unit.text,
    doc_no: unit.docNo,
    body: unit.body,
    triple_key: unit.tripleKey,
    valid_from: unit.validFrom,
    valid_to: unit.validTo,
    recorded_at: unit.recordedAt,
    retracted_at: unit.retractedAt,
    occurred_at: unit.occurredAt,
    expires_at: unit.expiresAt,
    entity_ids: unit.entityIds,
    corroboration_count: unit.corroborationCount,
    created_at: unit.createdAt,
    updated_at: unit.updatedAt,
    created_by: unit.createdBy,
  };
}

/** Inserts units and their first revisions; ids in the deletion log are passed over. Returns the ids inserted. */
export async function insertUnits(tx: Tx, units: readonly UnitRow[], note: VersionNote): Promise<string[]> {
  const rows = units.map((unit) => unitToColumns(unit, tx.workspaceId));
  const inserted = await tx.sql<{ id: string }[]>`
    with added as (
      insert into unit as u (
        workspace_id, id, type, version, status, attribution, trust_score, trust_cap, confidence, sensitivity, tags,
        metadata, worth, pinned, content_hash, origin_instance, origin_id, derived_from, stale, text, doc_no, body,
        triple_key, valid_from, valid_to, recorded_at, retracted_at, occurred_at, expires_at, entity_ids,
        corroboration_count, created_at, updated_at, created_by)
      select
        ${tx.workspaceId}, n.id, n.type, n.version, n.status, n.attribution, n.trust_score, n.trust_cap, n.confidence,
        n.sensitivity, n.tags, n.metadata, n.worth, n.pinned, n.content_hash, n.origin_instance, n.origin_id,
        n.derived_from, n.stale, n.text, n.doc_no, n.body, n.triple_key, n.valid_from, n.valid_to, n.recorded_at,
        n.retracted_at, n.occurred_at, n.expires_at, n.entity_ids, n.corroboration_count, n.created_at, n.updated_at,
        n.created_by
        from jsonb_populate_recordset(null::unit, ${tx.sql.json(rows as never)}) n
       where not exists (
         select from deletion_log d where d.workspace_id = ${tx.workspaceId} and d.resource_id = n.id)
      returning u.*
    ), versions as (
      ${insertRevisions(tx, note, tx.sql`added`, tx.now)}
    )
    select id from added`;
  return inserted.map((row) => row.id);
}

/** The columns that truth maintenance writes without a version. */
export type KeptColumns = Pick<UnitRow, "stale" | "trustScore" | "trustCap">;

/**
 * Writes the next version of a unit, whole, and its revision of `updatedAt`; the version before is closed then. `keep`:
 * what the transaction itself did to the flag or to the trust since the unit was read stays. Returns what is stored of
 * them, or undefined when the unit has another version.
 */
export async function updateUnit(
  tx: Tx,
  unit: UnitRow,
  note: VersionNote,
  keep: { readonly stale: boolean; readonly trust: boolean },
): Promise<KeptColumns | undefined> {
  const { sql } = tx;
  const [row] = await sql<KeptColumns[]>`
    with changed as (
      update unit u set
        version = n.version, status = n.status, attribution = n.attribution,
        trust_score = case when ${keep.trust} then least(u.trust_score, n.trust_score) else n.trust_score end,
        trust_cap = case when ${keep.trust} then least(u.trust_cap, n.trust_cap) else n.trust_cap end, confidence = n.confidence, sensitivity = n.sensitivity, tags = n.tags,
        metadata = n.metadata, worth = n.worth, pinned = n.pinned, content_hash = n.content_hash,
        derived_from = n.derived_from, stale = case when ${keep.stale} then u.stale else n.stale end, text = n.text, doc_no = n.doc_no, body = n.body,
        triple_key = n.triple_key, valid_from = n.valid_from, valid_to = n.valid_to, retracted_at = n.retracted_at,
        occurred_at = n.occurred_at, expires_at = n.expires_at, entity_ids = n.entity_ids,
        corroboration_count = n.corroboration_count, updated_at = n.updated_at
        from jsonb_populate_record(null::unit, ${sql.json(unitToColumns(unit, tx.workspaceId) as never)}) n
       where u.workspace_id = ${tx.workspaceId} and u.id = ${unit.id} and u.version = ${unit.version - 1}
      returning u.*
    ), closed as (
      update unit_revision r set replaced_at = c.updated_at
        from changed c
       where r.workspace_id = ${tx.workspaceId} and r.id = c.id and r.version = c.version - 1
    ), versions as (
      ${insertRevisions(tx, note, sql`changed`, unit.updatedAt)}
    )
    select stale, trust_score as "trustScore", trust_cap as "trustCap" from changed`;
  return row;
}

/** The revisions of units that the same statement wrote. What recall counts about a unit is no part of a version. */
function insertRevisions(tx: Tx, note: VersionNote, source: ReturnType<Sql>, recordedAt: Date) {
  return tx.sql`
    insert into unit_revision (
      workspace_id, id, version, doc_no, sensitivity, recorded_at, changed_by, event, reason, snapshot)
    select s.workspace_id, s.id, s.version, s.doc_no, s.sensitivity, ${recordedAt}, ${tx.actor}, ${note.event},
           ${note.reason}, to_jsonb(s) - '{use_count,last_used_at}'::text[]
      from ${source} s`;
}

/**
 * Units by id, in the order of their ids. `update` locks them against all other writers, `share` against changes while
 * something comes to rest on them.
 */
export async function findUnits<Body = UnitRow["body"]>(
  tx: Tx,
  ids: readonly string[],
  options: { readonly type?: UnitType; readonly lock?: "update" | "share" } = {},
): Promise<UnitRow<Body>[]> {
  const { sql } = tx;
  const lock = options.lock === "update"
    ? sql`for update of u`
    : options.lock === "share"
    ? sql`for share of u`
    : sql``;
  return await sql<UnitRow<Body>[]>`
    select ${unitColumns(sql)} from unit u
     where u.workspace_id = ${tx.workspaceId} and u.id = any(${ids as string[]}::uuid[])
       ${options.type === undefined ? sql`` : sql`and u.type = ${options.type}`}
     order by u.id ${lock}`;
}

/**
 * Units that say the same thing or speak of the same subject and predicate, in some statuses, locked. They are found
 * first and looked up by id then: of a table that was filled just now the planner knows nothing, and would look for all
 * names once for each unit.
 */
export async function lockRivals<Body = UnitRow["body"]>(
  tx: Tx,
  type: UnitType,
  keys: { readonly contentHashes: readonly string[]; readonly tripleKeys: readonly string[] },
  statuses: readonly string[],
): Promise<UnitRow<Body>[]> {
  const { sql } = tx;
  return await sql<UnitRow<Body>[]>`
    with rival as materialized (
      select id from unit
       where workspace_id = ${tx.workspaceId} and type = ${type}
         and content_hash = any(${keys.contentHashes as string[]}::text[])
         and status = any(${statuses as string[]}::text[])
      union
      select id from unit
       where workspace_id = ${tx.workspaceId} and type = ${type}
         and triple_key = any(${keys.tripleKeys as string[]}::text[])
         and status = any(${statuses as string[]}::text[])
    )
    select ${unitColumns(sql)} from unit u
     where u.workspace_id = ${tx.workspaceId} and u.id in (select id from rival)
     order by u.id for update of u`;
}

/** Units that are due to expire, oldest first; rows that another worker holds are passed over. */
export async function lockExpired<Body = UnitRow["body"]>(
  tx: Tx,
  type: UnitType,
  statuses: readonly string[],
  limit: number,
): Promise<UnitRow<Body>[]> {
  return await tx.sql<UnitRow<Body>[]>`
    select ${unitColumns(tx.sql)} from unit u
     where u.workspace_id = ${tx.workspaceId} and u.type = ${type} and u.expires_at <= ${tx.now}
       and u.status = any(${statuses as string[]}::text[])
     order by u.expires_at, u.id limit ${limit} for update of u skip locked`;
}

/** Deletes a unit; its revisions and source links go with it. */
export async function deleteUnit(tx: Tx, id: string): Promise<void> {
  await tx.sql`delete from unit where workspace_id = ${tx.workspaceId} and id = ${id}`;
}

/** Moves a unit to a higher sensitivity without a new version; see `raiseRevisions` for its past. */
export async function raiseUnit(tx: Tx, id: string, to: Sensitivity): Promise<void> {
  await tx.sql`
    update unit set sensitivity = ${to}
     where workspace_id = ${tx.workspaceId} and id = ${id} and sensitivity < ${to}::sensitivity`;
}

/** Serialises transactions of this workspace on names; taken in one order, so that two never wait in a circle. */
export async function lockNames(tx: Tx, names: readonly string[]): Promise<void> {
  const sorted = [...new Set(names)].sort();
  await tx.sql`
    select pg_advisory_xact_lock(hashtextextended(${tx.workspaceId} || ' ' || name, 7305411))
      from unnest(${sorted}::text[]) with ordinality as t(name, place) order by place`;
}
