/** The work of the mentions worker: names in texts that no entity has, and names that moved to another entity. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Tx } from "../tx.ts";
import { NAME_SHARED_MAX } from "./mentions.ts";

/** A name in a text that no entity has. */
export interface Sighting {
  readonly key: string;
  readonly name: string;
  readonly docNo: number;
  readonly sensitivity: Sensitivity;
  /** 0: it may be a name; 1: it is one; 2: it is one, and this text alone is enough to open an entity. */
  readonly strength: number;
}

const LOCK_SEED = 7_305_412;

/** Takes the workspace's lock on this work if it is free; it ends with the transaction. */
export async function tryLockNameWork(tx: Tx): Promise<boolean> {
  const [row] = await tx.sql<[{ taken: boolean }]>`
    select pg_try_advisory_xact_lock(hashtextextended(${tx.workspaceId}, ${LOCK_SEED})) as taken`;
  return row.taken;
}

export async function insertSightings(tx: Tx, rows: readonly Sighting[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.sql`
    insert into name_sighting (workspace_id, name_key, doc_no, sensitivity, name, strength)
    select ${tx.workspaceId}, r.name_key, r.doc_no, r.sensitivity::sensitivity, r.name, r.strength
      from unnest(${rows.map((row) => row.key)}::text[], ${rows.map((row) => row.docNo)}::bigint[],
                  ${rows.map((row) => row.sensitivity)}::text[], ${rows.map((row) => row.name)}::text[],
                  ${rows.map((row) => row.strength)}::smallint[]) as r(name_key, doc_no, sensitivity, name, strength)
        on conflict do nothing`;
}

/** Names with sightings that were not examined, the oldest first. */
export async function listPendingNames(tx: Tx, limit: number): Promise<string[]> {
  const rows = await tx.sql<{ key: string }[]>`
    select distinct name_key as key from (
      select name_key from name_sighting where workspace_id = ${tx.workspaceId} and pending
       order by doc_no limit ${limit}) as s`;
  return rows.map((row) => row.key);
}

/** The most sightings of one name that are kept; further ones add nothing. */
const SIGHTINGS_MAX = 8;

/** Sightings of names, the least sensitive and surest first. */
export async function listSightings(tx: Tx, keys: readonly string[]): Promise<Sighting[]> {
  return await tx.sql<Sighting[]>`
    select k.name_key as key, s.name, s.doc_no::float8 as "docNo", s.sensitivity, s.strength
      from unnest(${keys as string[]}::text[]) as k(name_key)
     cross join lateral (
       select name, doc_no, sensitivity, strength from name_sighting
        where workspace_id = ${tx.workspaceId} and name_key = k.name_key
        order by sensitivity, strength desc, doc_no limit 64) s`;
}

/** Deletes the sightings of names for which an entity was opened, or that an entity has by now. */
export async function deleteSightings(tx: Tx, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await tx.sql`
    delete from name_sighting where workspace_id = ${tx.workspaceId} and name_key = any(${keys as string[]}::text[])`;
}

/** Marks the sightings of names as examined, and keeps a few of each. */
export async function settleSightings(tx: Tx, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await tx.sql`
    with ranked as (
      select name_key, doc_no, row_number() over (partition by name_key, sensitivity order by strength desc, doc_no) as place
        from name_sighting where workspace_id = ${tx.workspaceId} and name_key = any(${keys as string[]}::text[])
    ), gone as (
      delete from name_sighting s using ranked r
       where s.workspace_id = ${tx.workspaceId} and s.name_key = r.name_key and s.doc_no = r.doc_no and r.place > ${SIGHTINGS_MAX}
    )
    update name_sighting s set pending = false
      from ranked r
     where s.workspace_id = ${tx.workspaceId} and s.name_key = r.name_key and s.doc_no = r.doc_no
       and r.place <= ${SIGHTINGS_MAX} and s.pending`;
}

/** A name whose texts are to be read again. */
export interface NameChange {
  readonly key: string;
  readonly sensitivity: Sensitivity;
  readonly attempt: number;
  readonly afterDoc: number;
  /** An entity that had the name no longer has it. */
  readonly lost: boolean;
}

/**
 * Notes, for the changes that it sees for the first time, the transaction from which on all others know of them.
 * Returns whether any change is left, seen now or before.
 */
export async function stampNameChanges(tx: Tx): Promise<boolean> {
  const { sql, workspaceId } = tx;
  const { count } = await sql`
    update name_change set seen_xid = pg_snapshot_xmax(pg_current_snapshot())
     where workspace_id = ${workspaceId} and seen_xid is null`;
  return count > 0 || (await sql`select from name_change where workspace_id = ${workspaceId} limit 1`).length > 0;
}

/** Changes that every transaction which is still to commit knows of. */
export async function listNameChanges(tx: Tx, limit: number): Promise<NameChange[]> {
  return await tx.sql<NameChange[]>`
    select name_key as key, sensitivity, attempt, after_doc::float8 as "afterDoc", lost from name_change
     where workspace_id = ${tx.workspaceId} and seen_xid <= pg_snapshot_xmin(pg_current_snapshot())
     order by name_key, sensitivity limit ${limit}`;
}

/** Ends a change, or notes how far it got; not when the name has changed again. */
export async function advanceNameChange(tx: Tx, change: NameChange, afterDoc: number | null): Promise<void> {
  const { key, sensitivity, attempt } = change;
  if (afterDoc === null) {
    await tx.sql`
      delete from name_change
       where workspace_id = ${tx.workspaceId} and name_key = ${key} and sensitivity = ${sensitivity} and attempt = ${attempt}`;
  } else {
    await tx.sql`
      update name_change set after_doc = ${afterDoc}
       where workspace_id = ${tx.workspaceId} and name_key = ${key} and sensitivity = ${sensitivity} and attempt = ${attempt}`;
  }
}

/** Postings of a term, all kinds, that may hold a document after `after`, in the order of their first one. */
export async function readTermEntries(
  tx: Tx,
  term: string,
  after: number,
  limit: number,
): Promise<{ firstDoc: number; entries: Uint8Array }[]> {
  return await tx.sql<{ firstDoc: number; entries: Uint8Array }[]>`
    select first_doc::float8 as "firstDoc", entries from posting
     where workspace_id = ${tx.workspaceId} and term = ${term} and last_doc > ${after}
     order by first_doc limit ${limit}`;
}

/** How many texts hold each of some terms. */
export async function countTermDocs(tx: Tx, terms: readonly string[]): Promise<{ term: string; docs: number }[]> {
  return await tx.sql<{ term: string; docs: number }[]>`
    select t.term, p.docs from unnest(${terms as string[]}::text[]) as t(term)
     cross join lateral (
       select sum(n)::float8 as docs from posting
        where workspace_id = ${tx.workspaceId} and term = t.term) p
     where p.docs is not null`;
}

/** A text with the columns that are needed to find names in it. */
export interface TextRow {
  readonly docNo: number;
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly status: string;
  readonly text: string;
  readonly speaker: string | null;
  readonly body: Readonly<Record<string, unknown>> | null;
  readonly sensitivity: Sensitivity;
  readonly mentionedAt: Date;
  readonly entityIds: readonly string[];
}

/** Current texts by number, locked against erasure and revision. */
export async function lockTexts(tx: Tx, docNos: readonly number[]): Promise<TextRow[]> {
  const docs = docNos as number[];
  const turns = await tx.sql<TextRow[]>`
    select t.doc_no::float8 as "docNo", t.id, 'turn' as type, t.version, 'active' as status, t.content as text,
           t.name as speaker, null::jsonb as body, t.sensitivity, t.occurred_at as "mentionedAt", t.entity_ids as "entityIds"
      from turn t where t.workspace_id = ${tx.workspaceId} and t.doc_no = any(${docs}::bigint[])
     order by t.id for no key update of t`;
  const units = await tx.sql<TextRow[]>`
    select u.doc_no::float8 as "docNo", u.id, u.type, u.version, u.status, u.text, null::text as speaker, u.body,
           u.sensitivity, case when u.occurred_at is not null then u.occurred_at else u.recorded_at end as "mentionedAt",
           u.entity_ids as "entityIds"
      from unit u
     where u.workspace_id = ${tx.workspaceId} and u.doc_no = any(${docs}::bigint[]) and u.type <> 'entity'
     order by u.id for no key update of u`;
  return [...turns, ...units];
}

/** A speaker in a session, by the name that its turns give. */
export interface SessionSpeaker {
  readonly sessionId: string;
  readonly name: string;
}

/** The speakers of some turns with their sessions, each once. */
export async function listSpeakersOf(tx: Tx, docNos: readonly number[]): Promise<SessionSpeaker[]> {
  return await tx.sql<SessionSpeaker[]>`
    select distinct t.session_id as "sessionId", t.name from unnest(${docNos as number[]}::bigint[]) as d(no)
     cross join lateral (
       select session_id, name from turn where workspace_id = ${tx.workspaceId} and doc_no = d.no) t
     where t.name is not null`;
}

/** The numbers above `after` of the turns that some speakers spoke in their sessions, ascending. */
export async function listSpokenDocs(
  tx: Tx,
  speakers: readonly SessionSpeaker[],
  after: number,
  limit: number,
): Promise<number[]> {
  const rows = await tx.sql<{ docNo: number }[]>`
    select t.doc_no::float8 as "docNo"
      from unnest(${speakers.map((speaker) => speaker.sessionId)}::uuid[],
                  ${speakers.map((speaker) => speaker.name)}::text[]) as s(session_id, name)
     cross join lateral (
       select doc_no from turn
        where workspace_id = ${tx.workspaceId} and session_id = s.session_id and name = s.name and doc_no > ${after}
        order by doc_no limit ${limit}) t
     order by t.doc_no limit ${limit}`;
  return rows.map((row) => row.docNo);
}

/**
 * Returns the given texts that need not be read again for a name that no entity lost: texts that
 * mention every entity with the name, if these have had their names since they were made; and texts
 * that are entities themselves.
 */
export async function listTextsThatKnow(
  tx: Tx,
  key: string,
  docNos: readonly number[],
): Promise<{ docNo: number; isEntity: boolean }[]> {
  const docs = docNos as number[];
  return await tx.sql<{ docNo: number; isEntity: boolean }[]>`
    with holder as (
      select n.entity_id, u.version from entity_name n
        join unit u on u.workspace_id = ${tx.workspaceId} and u.id = n.entity_id
       where n.workspace_id = ${tx.workspaceId} and n.name_key = ${key} and n.status = 'active' limit ${
    NAME_SHARED_MAX + 1
  }
    )
    select m.doc_no::float8 as "docNo", false as "isEntity" from mention m
     where m.workspace_id = ${tx.workspaceId} and m.doc_no = any(${docs}::bigint[])
       and m.entity_id in (select entity_id from holder) and not m.given
       and (select bool_and(version = 1) and count(*) <= ${NAME_SHARED_MAX} from holder)
     group by m.doc_no having count(*) = (select count(*) from holder)
    union all
    select u.doc_no::float8, true from unit u
     where u.workspace_id = ${tx.workspaceId} and u.doc_no = any(${docs}::bigint[]) and u.type = 'entity'`;
}

/** Sets the entities of texts without a new version, because the texts stay the same. */
export async function setEntityIds(
  tx: Tx,
  rows: readonly { readonly id: string; readonly type: string; readonly entityIds: readonly string[] }[],
): Promise<void> {
  const isTurn = (row: { readonly type: string }) => row.type === "turn";
  const toJson = (list: typeof rows) => tx.sql.json(list.map(({ id, entityIds }) => ({ id, ids: entityIds })));
  const turns = rows.filter(isTurn), units = rows.filter((row) => !isTurn(row));
  await Promise.all([
    ...(turns.length === 0 ? [] : [tx.sql`
      update turn t set entity_ids = r.ids from jsonb_to_recordset(${toJson(turns)}) as r(id uuid, ids uuid[])
       where t.workspace_id = ${tx.workspaceId} and t.id = r.id`]),
    ...(units.length === 0 ? [] : [tx.sql`
      update unit u set entity_ids = r.ids from jsonb_to_recordset(${toJson(units)}) as r(id uuid, ids uuid[])
       where u.workspace_id = ${tx.workspaceId} and u.id = r.id`]),
  ]);
}
