/**
 * Reads a workspace for the hot tier, and the part of its change feed that the tier has to follow.
 */
import { LIVE_STATUSES } from "../../schema/unit_state.ts";
import type { Tx } from "../tx.ts";
import { NEWER_MAX } from "./newer_links.ts";
import { isTold } from "./recall_filters.ts";

/** A whole turn or unit, with the columns that filters need. */
export interface HotRow {
  readonly docNo: number;
  readonly groupNo: number;
  readonly position: number;
  readonly bits: number | null;
  readonly id: string;
  readonly type: string;
  readonly text: string;
  readonly status: string;
  readonly stale: boolean;
  readonly disputed: boolean;
  readonly attribution: string;
  readonly trustScore: number;
  readonly confidence: number | null;
  readonly worth: number | null;
  readonly sensitivity: string;
  readonly pinned: boolean;
  readonly occurredAt: Date | null;
  readonly validFrom: Date | null;
  readonly validTo: Date | null;
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
  readonly recordedAt: Date;
  readonly updatedAt: Date | null;
  readonly createdBy: string | null;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly entityIds: readonly string[];
  readonly tripleKey: string | null;
  readonly body: Readonly<Record<string, unknown>> | null;
  readonly sessionId: string | null;
  readonly messageId: string | null;
  readonly role: string | null;
  readonly name: string | null;
  /** How often recall returned it. */
  readonly useCount: number;
  /** Its links to newer and older statements. Null: none. */
  readonly links: readonly HotLink[] | null;
}

/** A link from a statement to a newer one. Links are numbered in the order in which they were told. */
export type HotLink = readonly [olderId: string, newerId: string, strength: number, no: number, words: number];

type Fragment = ReturnType<Tx["sql"]>;

/** The links of a turn or unit on both sides; of a statement with many newer ones, those to the latest told. */
function linksOf(tx: Tx, side: "turn" | "unit", id: string): Fragment {
  const end = (name: "older" | "newer") =>
    tx.sql`
    (select id, coalesce(older_unit, older_turn) as older, coalesce(newer_unit, newer_turn) as newer, strength, words
       from newer_link where workspace_id = ${tx.workspaceId} and ${tx.sql.unsafe(`${name}_${side}`)} = ${
      tx.sql.unsafe(id)
    }
      order by id desc limit ${NEWER_MAX})`;
  return tx.sql`(
    select jsonb_agg(jsonb_build_array(l.older, l.newer, l.strength, l.id, l.words)) from (${end("older")} union all ${
    end("newer")
  }) l)` as Fragment;
}

function turnColumns(tx: Tx): Fragment {
  return tx.sql`
    t.doc_no::float8 as "docNo", t.group_no::float8 as "groupNo", t.position, (t.features ->> 'bits')::int as bits, t.id,
    'turn' as type, t.content as text, 'active' as status, false as stale,
    false as disputed, case t.role when 'user' then 'user_stated' when 'tool' then 'tool_observed' else 'agent_stated' end as attribution,
    case t.role when 'user' then 90 when 'tool' then 80 else 60 end as "trustScore", null::real as confidence,
    null::real as worth, t.sensitivity, t.pinned, t.occurred_at as "occurredAt", null::timestamptz as "validFrom",
    null::timestamptz as "validTo", null::timestamptz as "expiresAt",
    t.recorded_at as "createdAt", t.recorded_at as "recordedAt", null::timestamptz as "updatedAt", null::text as "createdBy", t.tags, t.metadata,
    t.entity_ids as "entityIds", null::text as "tripleKey", null::jsonb as body, t.session_id as "sessionId", t.message_id as "messageId", t.role, t.name,
    0 as "useCount", ${linksOf(tx, "turn", "t.id")} as links` as Fragment;
}

function unitColumns(tx: Tx): Fragment {
  return tx.sql`
    u.doc_no::float8 as "docNo", 0 as "groupNo", 0 as position, null::int as bits, u.id, u.type, u.text, u.status, u.stale,
    u.disputed, u.attribution, u.trust_score as "trustScore", u.confidence, u.worth, u.sensitivity, u.pinned,
    u.occurred_at as "occurredAt", u.valid_from as "validFrom", u.valid_to as "validTo", u.expires_at as "expiresAt",
    u.created_at as "createdAt", u.recorded_at as "recordedAt",
    u.updated_at as "updatedAt", u.created_by as "createdBy", u.tags, u.metadata, u.entity_ids as "entityIds", u.triple_key as "tripleKey", u.body,
    u.body ->> 'sessionId' as "sessionId", null::text as "messageId", null::text as role, null::text as name, u.use_count as "useCount",
    ${linksOf(tx, "unit", "u.id")} as links` as Fragment;
}

function isLive(tx: Tx): Fragment {
  return tx.sql`
    u.workspace_id = ${tx.workspaceId} and u.status = any(${[...LIVE_STATUSES]}::text[])
    and ${isTold(tx, { bare: false })}` as Fragment;
}

/** How many units in force and turns there are, each counted up to `max`. */
export async function countHotTexts(tx: Tx, max: number): Promise<{ readonly units: number; readonly turns: number }> {
  const [row] = await tx.sql<[{ units: number; turns: number }]>`
    select (select count(*)::int from (select from unit u where ${isLive(tx)} limit ${max}) as u) as units,
           (select count(*)::int from (
              select from turn t where t.workspace_id = ${tx.workspaceId} limit ${max}) as t) as turns`;
  return row;
}

/** Units in force: pinned and often used ones, at most `some` of each, and the latest, at most `latest`. */
export async function readHotUnits(tx: Tx, some: number, latest: number): Promise<HotRow[]> {
  const { sql } = tx;
  return await sql<HotRow[]>`
    select ${unitColumns(tx)} from unit u
     where u.workspace_id = ${tx.workspaceId} and u.id in (
       (select u.id from unit u where ${
    isLive(tx)
  } and u.pinned order by u.updated_at desc, u.doc_no desc limit ${some})
       union
       (select u.id from unit u where ${isLive(tx)} and u.use_count > 0 order by u.use_count desc limit ${some})
       union
       (select u.id from unit u where ${isLive(tx)} order by u.updated_at desc, u.doc_no desc limit ${latest}))`;
}

/** The latest turns. */
export async function readHotTurns(tx: Tx, limit: number): Promise<HotRow[]> {
  return await tx.sql<HotRow[]>`
    select ${
    turnColumns(tx)
  } from turn t where t.workspace_id = ${tx.workspaceId} order by t.doc_no desc limit ${limit}`;
}

/** Turns and units in force, by id. */
export async function readHotRows(
  tx: Tx,
  ids: { readonly turns: readonly string[]; readonly units: readonly string[] },
): Promise<HotRow[]> {
  const { sql } = tx;
  const [turns, units] = await Promise.all([
    ids.turns.length === 0 ? [] : sql<HotRow[]>`
      select ${turnColumns(tx)} from turn t
       where t.workspace_id = ${tx.workspaceId} and t.id = any(${ids.turns as string[]}::uuid[])`,
    ids.units.length === 0 ? [] : sql<HotRow[]>`
      select ${unitColumns(tx)} from unit u where ${isLive(tx)} and u.id = any(${ids.units as string[]}::uuid[])`,
  ]);
  return [...turns, ...units];
}

/** The resources that changed after `after`, at most `limit` changes of some types. */
export async function readChangedIds(
  tx: Tx,
  after: number,
  types: readonly string[],
  limit: number,
): Promise<string[]> {
  const rows = await tx.sql<{ id: string }[]>`
    select resource_id as id from change
     where workspace_id = ${tx.workspaceId} and seq > ${after} and resource_type = any(${types as string[]}::text[])
     order by seq limit ${limit}`;
  return rows.map((row) => row.id);
}

/** A text that an earlier version of a unit had. The index still holds it. */
export interface FormerText {
  readonly id: string;
  readonly docNo: number;
  readonly type: string;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>> | null;
}

/** Some units, by id, or all, at most `limit`. */
export type Which = { readonly ids: readonly string[] } | { readonly limit: number };

/** Units that the hot tier leaves out: those that are not in force, and entities of which only the name is known. */
export async function readRestUnits(tx: Tx, which: Which): Promise<HotRow[]> {
  return await tx.sql<HotRow[]>`
    select ${unitColumns(tx)} from unit u
     where u.workspace_id = ${tx.workspaceId} and not (${isLive(tx)})
       ${"ids" in which ? tx.sql`and u.id = any(${which.ids as string[]}::uuid[])` : tx.sql`limit ${which.limit}`}`;
}

/** The texts that units had in earlier versions and no longer have. */
export async function readFormerTexts(tx: Tx, which: Which): Promise<FormerText[]> {
  return await tx.sql<FormerText[]>`
    select distinct on (r.doc_no) r.id, r.doc_no::float8 as "docNo", r.snapshot ->> 'type' as type,
           r.snapshot ->> 'text' as text, r.snapshot -> 'body' as body
      from unit_revision r
     where r.workspace_id = ${tx.workspaceId}
       and not exists (select from unit u where u.workspace_id = r.workspace_id and u.id = r.id and u.doc_no = r.doc_no)
       ${"ids" in which ? tx.sql`and r.id = any(${which.ids as string[]}::uuid[])` : tx.sql``}
     order by r.doc_no, r.version desc ${"ids" in which ? tx.sql`` : tx.sql`limit ${which.limit}`}`;
}

/** A name by which texts mention an entity. */
export interface EntityKey {
  readonly key: string;
  readonly entityId: string;
}

/** The names that active entities have; see `readKnownNames`. */
export async function readEntityKeys(tx: Tx, which: Which): Promise<EntityKey[]> {
  return await tx.sql<EntityKey[]>`
    select name_key as key, entity_id as "entityId" from entity_name
     where workspace_id = ${tx.workspaceId} and status = 'active'
       ${
    "ids" in which ? tx.sql`and entity_id = any(${which.ids as string[]}::uuid[])` : tx.sql`limit ${which.limit}`
  }`;
}

/** How much the index holds of a kind. */
export interface SeenSize {
  readonly kind: number;
  readonly docs: number;
  readonly tokens: number;
  readonly groups: number;
}

/** The end of the feed, and how much the index holds up to the clearance; null if that is known. */
export interface LookAtIndex {
  readonly seq: number;
  readonly sizes: readonly SeenSize[] | null;
}

/**
 * Reads the end of the feed and, unless that is at `known`, how much the index holds up to the clearance, both at the
 * same moment.
 */
export async function lookAtIndex(tx: Tx, known: number): Promise<LookAtIndex> {
  const { sql, workspaceId: ws } = tx;
  const [row] = await sql<[LookAtIndex]>`
    with head as materialized (
      select coalesce((select seq from feed_head where workspace_id = ${ws}), 0) as seq
    )
    select seq::float8 as seq, case when seq <> ${known}::bigint then (
             select coalesce(jsonb_agg(c), '[]') from (
               select kind, sum(docs) as docs, sum(tokens) as tokens, sum(groups) as groups
                 from corpus_size where workspace_id = ${ws} group by kind) as c) end as sizes
      from head`;
  return row;
}
