/** Statements on `relation` and its participants and sources. A relation travels as JSON with the table's column names. */
import type { Attribution, Sensitivity } from "../../schema/common.ts";
import type { RelationStatus, Verb } from "../../schema/relation.ts";
import type { UnitType } from "../../schema/unit.ts";
import type { Sql, Tx } from "../tx.ts";

/** An end of a relation. */
export interface ParticipantRow {
  readonly role: string;
  /** The unit that was named. */
  readonly unitId: string;
  /** The survivor, if the unit is a merged entity. */
  readonly nodeId: string;
}

export interface RelationRow {
  readonly id: string;
  readonly version: number;
  readonly status: RelationStatus;
  readonly verb: Verb;
  readonly isHyper: boolean;
  readonly identity: string;
  readonly weight: number;
  readonly confidence: number;
  readonly attribution: Attribution;
  readonly trustScore: number;
  readonly ownSensitivity: Sensitivity;
  readonly sensitivity: Sensitivity;
  readonly stale: boolean;
  readonly validFrom: Date | null;
  readonly validTo: Date | null;
  readonly evidenceIds: readonly string[];
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly createdBy: string;
  /** The participants in the order of their places. */
  readonly participants: readonly ParticipantRow[];
}

function columns(sql: Sql) {
  return sql`
    r.id, r.version, r.status, r.verb, r.is_hyper as "isHyper", r.identity, r.weight, r.confidence, r.attribution,
    r.trust_score as "trustScore", r.own_sensitivity as "ownSensitivity", r.sensitivity, r.stale,
    r.valid_from as "validFrom", r.valid_to as "validTo", r.evidence_ids as "evidenceIds", r.tags, r.metadata,
    r.created_at as "createdAt", r.updated_at as "updatedAt", r.created_by as "createdBy",
    (select jsonb_agg(jsonb_build_object('role', p.role, 'unitId', p.unit_id, 'nodeId', p.node_id) order by p.place)
       from relation_participant p
      where p.workspace_id = r.workspace_id and p.relation_id = r.id) as participants`;
}

function toColumns(row: RelationRow, workspaceId: string) {
  return {
    workspace_id: workspaceId,
    id: row.id,
    version: row.version,
    status: row.status,
    verb: row.verb,
    is_hyper: row.isHyper,
    identity: row.identity,
    weight: row.weight,
    confidence: row.confidence,
    attribution: row.attribution,
    trust_score: row.trustScore,
    own_sensitivity: row.ownSensitivity,
    sensitivity: row.sensitivity,
    stale: row.stale,
    valid_from: row.validFrom,
    valid_to: row.validTo,
    evidence_ids: row.evidenceIds,
    tags: row.tags,
    metadata: row.metadata,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    created_by: row.createdBy,
  };
}

/** Inserts relations with their participants and sources in one statement each. */
export async function insertRelations(tx: Tx, rows: readonly RelationRow[]): Promise<void> {
  const { sql } = tx;
  await sql`
    insert into relation (
      workspace_id, id, version, status, verb, is_hyper, identity, weight, confidence, attribution, trust_score,
      own_sensitivity, sensitivity, stale, valid_from, valid_to, evidence_ids, tags, metadata, created_at, updated_at,
      created_by)
    select ${tx.workspaceId}, n.id, n.version, n.status, n.verb, n.is_hyper, n.identity, n.weight, n.confidence,
           n.attribution, n.trust_score, n.own_sensitivity, n.sensitivity, n.stale, n.valid_from, n.valid_to,
           n.evidence_ids, n.tags, n.metadata, n.created_at, n.updated_at, n.created_by
      from jsonb_populate_recordset(
             null::relation, ${sql.json(rows.map((row) => toColumns(row, tx.workspaceId)))}) n`;
  const ends = rows.flatMap((row) =>
    row.participants.map(({ role, unitId, nodeId }, place) => ({
      relation_id: row.id,
      place,
      role,
      unit_id: unitId,
      node_id: nodeId,
      verb: row.verb,
      weight: row.weight,
      is_active: row.status === "active",
      sensitivity: row.sensitivity,
    }))
  );
  await sql`
    insert into relation_participant (
      workspace_id, relation_id, place, role, unit_id, node_id, verb, weight, is_active, sensitivity)
    select ${tx.workspaceId}, n.relation_id, n.place, n.role, n.unit_id, n.node_id, n.verb, n.weight, n.is_active,
           n.sensitivity
      from jsonb_populate_recordset(null::relation_participant, ${sql.json(ends)}) n`;
  await insertSources(tx, rows);
}

async function insertSources(tx: Tx, rows: readonly RelationRow[]): Promise<void> {
  const links = rows.flatMap(({ id, evidenceIds }) => evidenceIds.map((sourceId) => ({ id, sourceId })));
  if (links.length === 0) return;
  await tx.sql`
    insert into relation_source (workspace_id, source_id, relation_id)
    select ${tx.workspaceId}, source_id, relation_id
      from unnest(${links.map((link) => link.sourceId)}::uuid[], ${links.map((link) => link.id)}::uuid[])
        as t(source_id, relation_id)
        on conflict do nothing`;
}

/** Writes the next version of a relation that is locked. Its ends and its verb stay. */
export async function updateRelation(tx: Tx, row: RelationRow): Promise<void> {
  const { sql } = tx;
  await sql`
    with changed as (
      update relation r set
        version = n.version, status = n.status, weight = n.weight, confidence = n.confidence,
        attribution = n.attribution, trust_score = n.trust_score, own_sensitivity = n.own_sensitivity,
        sensitivity = n.sensitivity, stale = n.stale, valid_from = n.valid_from, valid_to = n.valid_to,
        evidence_ids = n.evidence_ids, tags = n.tags, metadata = n.metadata, updated_at = n.updated_at
        from jsonb_populate_record(null::relation, ${sql.json(toColumns(row, tx.workspaceId))}) n
       where r.workspace_id = ${tx.workspaceId} and r.id = ${row.id}
      returning r.id, r.weight, r.status, r.sensitivity
    )
    update relation_participant p
       set weight = c.weight, is_active = c.status = 'active', sensitivity = c.sensitivity
      from changed c
     where p.workspace_id = ${tx.workspaceId} and p.relation_id = c.id
       and (p.weight, p.is_active, p.sensitivity) is distinct from (c.weight, c.status = 'active', c.sensitivity)`;
  await sql`
    delete from relation_source
     where workspace_id = ${tx.workspaceId} and relation_id = ${row.id}
       and not source_id = any(${row.evidenceIds as string[]}::uuid[])`;
  await insertSources(tx, [row]);
}

/** Relations by id, in the order of their ids. */
export async function findRelations(
  tx: Tx,
  ids: readonly string[],
  options: { readonly lock?: boolean } = {},
): Promise<RelationRow[]> {
  const { sql } = tx;
  return await sql<RelationRow[]>`
    select ${columns(sql)} from relation r
     where r.workspace_id = ${tx.workspaceId} and r.id = any(${ids as string[]}::uuid[])
     order by r.id ${options.lock ? sql`for update of r` : sql``}`;
}

/** Active relations that say the same as some others, locked, the oldest first. */
export async function lockSame(tx: Tx, identities: readonly string[]): Promise<RelationRow[]> {
  const { sql } = tx;
  return await sql<RelationRow[]>`
    select ${columns(sql)} from relation r
     where r.workspace_id = ${tx.workspaceId} and r.status = 'active'
       and r.identity = any(${identities as string[]}::text[])
     order by r.id for update of r`;
}

/** A unit that a relation names, with the columns that relations depend on. */
export interface EndRow {
  readonly id: string;
  readonly type: UnitType;
  readonly status: string;
  readonly stale: boolean;
  readonly sensitivity: Sensitivity;
  readonly originInstance: string;
  readonly mergedInto: string | null;
}

/** Units by id, as far as they are visible, locked against changes while a relation to them is written. */
export async function lockEnds(tx: Tx, ids: readonly string[]): Promise<EndRow[]> {
  return await tx.sql<EndRow[]>`
    select u.id, u.type, u.status, u.stale, u.sensitivity, u.origin_instance as "originInstance",
           case when u.type = 'entity' then u.body ->> 'mergedInto' end as "mergedInto"
      from unit u
     where u.workspace_id = ${tx.workspaceId} and u.id = any(${ids as string[]}::uuid[])
     order by u.id for share of u`;
}

/** Maps each id to itself or, for a merged entity, to the survivor of the merge. An id that is not visible has no entry. */
export async function findSurvivors(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.sql<{ id: string; survivor: string }[]>`
    with recursive chain as (
      select u.id, u.id as survivor, case when u.type = 'entity' then (u.body ->> 'mergedInto')::uuid end as next, 0 as step
        from unit u
       where u.workspace_id = ${tx.workspaceId} and u.id = any(${ids as string[]}::uuid[])
      union all
      select c.id, u.id, (u.body ->> 'mergedInto')::uuid, c.step + 1
        from chain c
        join unit u on u.workspace_id = ${tx.workspaceId} and u.id = c.next and u.type = 'entity'
       where c.step < 64
    )
    select distinct on (id) id, survivor from chain order by id, step desc`;
  return new Map(rows.map((row) => [row.id, row.survivor]));
}

/** The search for a cycle gives up after it has visited this many units. */
export const CYCLE_WALK_MAX = 50_000;

/**
 * Whether a path of relations with this verb, whose validity overlaps the span, leads from a unit in `from` to a unit in
 * `to`. The answer is `tooFar` when the search gave up after `CYCLE_WALK_MAX` units.
 */
export async function findWay(
  tx: Tx,
  verb: Verb,
  from: readonly string[],
  to: readonly string[],
  span: { readonly validFrom: Date | null; readonly validTo: Date | null },
): Promise<"found" | "none" | "tooFar"> {
  const [row] = await tx.sql<[{ found: boolean; walked: number }]>`
    with recursive walk as (
      select unnest(${from as string[]}::uuid[]) as node
      union
      select q.node_id
        from walk w
        join relation_participant p on p.workspace_id = ${tx.workspaceId} and p.node_id = w.node and p.is_active
         and p.verb = ${verb} and p.role = 'source'
        join relation r on r.workspace_id = p.workspace_id and r.id = p.relation_id
         and (r.valid_to is null or r.valid_to > coalesce(${span.validFrom}::timestamptz, '-infinity'))
         and (r.valid_from is null or r.valid_from < coalesce(${span.validTo}::timestamptz, 'infinity'))
        join relation_participant q on q.workspace_id = p.workspace_id and q.relation_id = p.relation_id
         and q.role = 'target'
    ), bounded as (
      select node from walk limit ${CYCLE_WALK_MAX + 1}
    )
    select coalesce(bool_or(node = any(${to as string[]}::uuid[])), false) as found, count(*)::int as walked
      from bounded`;
  return row.found ? "found" : row.walked > CYCLE_WALK_MAX ? "tooFar" : "none";
}

/** A relation whose state was changed from outside. */
export interface TouchedRelation {
  readonly id: string;
  readonly version: number;
  readonly sensitivity: Sensitivity;
}

/**
 * Updates the nodes and the sensitivity of the relations of a changed unit, also of those above the clearance.
 * @param before the entity into which it was merged until now
 */
export async function followUnit(tx: Tx, id: string, before: string | null): Promise<void> {
  await tx.sql`select svc_system.relations_follow(${id}, ${before})`;
}

/** A relation whose evidence was invalidated or reinstated. */
export interface SettledRelation extends TouchedRelation {
  readonly event: "stale" | "fresh";
}

/**
 * Marks relations that rest on the units stale if such a unit is invalidated, and fresh if none of their sources is; also
 * relations above the clearance. Returns the relations that changed.
 */
export async function settleRelations(tx: Tx, ids: readonly string[]): Promise<SettledRelation[]> {
  return await tx.sql<SettledRelation[]>`
    select id, version, sensitivity, event from svc_system.settle_relations(${ids as string[]}::uuid[])`;
}

/** Deletes all relations of a unit, also those above the clearance. */
export async function deleteRelationsOf(tx: Tx, unitId: string): Promise<TouchedRelation[]> {
  return await tx.sql<TouchedRelation[]>`
    select id, version, sensitivity from svc_system.delete_relations_of(${unitId})`;
}

/** Deletes one relation. */
export async function deleteRelation(tx: Tx, id: string): Promise<TouchedRelation[]> {
  return await tx.sql<TouchedRelation[]>`select id, version, sensitivity from svc_system.delete_relation(${id})`;
}
