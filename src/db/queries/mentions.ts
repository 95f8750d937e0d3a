/** Statements on `mention`, and on the names of entities that are to be found in texts. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Tx } from "../tx.ts";

export interface KnownName {
  readonly key: string;
  readonly entityId: string;
  readonly sensitivity: Sensitivity;
}

/** How many rows of one name are read. A name that more entities share identifies none of them. */
export const NAME_SHARED_MAX = 3;

/**
 * The active entities that have one of some names, for a writer that is going to link texts to them: they are locked
 * until the transaction ends. A name that many share is left out.
 *
 * The number of the transaction is fixed before the names are read, so that a transaction that changes a name can find
 * those that may not have seen the change.
 */
export function findKnownNames(tx: Tx, keys: readonly string[]): Promise<KnownName[]> {
  return findKnownNamesAmong(
    tx,
    keys.length,
    (names) => names === undefined ? keys : keys.filter((key) => names.has(key)),
  );
}

/** At most this many keys are looked up without first asking which names exist. */
const KEYS_FEW = 256;

/**
 * The workspace's names. Undefined when they were not listed, because few keys are looked up or the workspace has too
 * many names.
 */
export type NamesThere = NameSet | undefined;

/**
 * Lists the workspace's names, for a writer of texts with up to `most` keys. It first makes Postgres assign the
 * transaction its id, so that a transaction that changes a name later sees that this one was running. A caller may
 * start it early, before it calls `findKnownNamesAmong` in the same transaction.
 */
export async function askNames(tx: Tx, most: number): Promise<NamesThere> {
  if (most === 0) return undefined;
  tx.sql`select pg_current_xact_id()`.execute().catch(() => {});
  return most <= KEYS_FEW ? undefined : await listNames(tx, most);
}

/**
 * Finds the active entities that have one of up to `most` names. If the workspace has no more names than that, `pick`
 * is given them, and it returns the keys to look up: to send and look up all keys costs several times as much.
 */
export async function findKnownNamesAmong(
  tx: Tx,
  most: number,
  pick: (names: NamesThere) => readonly string[] | Promise<readonly string[]>,
  asked: Promise<NamesThere> = askNames(tx, most),
): Promise<KnownName[]> {
  // For few keys `askNames` lists nothing, so the look-up is sent without waiting for it.
  return most === 0 ? [] : await keepKnownNames(tx, await pick(most <= KEYS_FEW ? undefined : await asked));
}

/**
 * The active entities that have one of some names, locked so that they stay until the transaction ends. The query looks
 * each name up by itself: given a list, Postgres may read all names of the workspace and filter them.
 */
async function keepKnownNames(tx: Tx, keys: readonly string[]): Promise<KnownName[]> {
  if (keys.length === 0) return [];
  return await tx.sql<KnownName[]>`
    with named as materialized (
      select k.key, n.entity_id, n.sensitivity, count(*) over (partition by k.key) as sharing
        from unnest(${[...new Set(keys)]}::text[]) as k(key)
       cross join lateral (
         select entity_id, sensitivity from entity_name
          where workspace_id = ${tx.workspaceId} and name_key = k.key and status = 'active'
          limit ${NAME_SHARED_MAX + 1}) n
    )
    select n.key, n.entity_id as "entityId", n.sensitivity
      from named n join unit u on u.workspace_id = ${tx.workspaceId} and u.id = n.entity_id
     where n.sharing <= ${NAME_SHARED_MAX} and u.type = 'entity'
     order by u.id for key share of u`;
}

/** A set of names in which most look-ups find nothing: length and three letters alone exclude most keys. */
export class NameSet {
  readonly #names: ReadonlySet<string>;
  readonly #marks = new Uint8Array(2 ** 16);

  constructor(names: Iterable<string>) {
    this.#names = new Set(names);
    for (const name of this.#names) this.#marks[markOf(name)] = 1;
  }

  has(key: string): boolean {
    return this.#marks[markOf(key)] === 1 && this.#names.has(key);
  }
}

/** A number under 65,536. */
function markOf(key: string): number {
  const { length } = key;
  const letters = key.charCodeAt(0) ^ key.charCodeAt(1) << 4 ^ key.charCodeAt(length - 1) << 8;
  return Math.imul(letters ^ length << 13, 0x9e3779b1) >>> 16;
}

/** All names in the workspace; undefined where there are more than `most`. */
async function listNames(tx: Tx, most: number): Promise<NameSet | undefined> {
  const [{ count, names }] = await tx.sql<[{ count: number; names: string | null }]>`
    select count(*)::int as count, case when count(*) <= ${most} then string_agg(name_key, e'\n') end as names
      from (select name_key from entity_name where workspace_id = ${tx.workspaceId} limit ${most + 1}) as n`;
  return count > most ? undefined : new NameSet(names?.split("\n") ?? []);
}

/** Returns those of the given ids that are entities. They are locked until the transaction ends. */
export async function keepEntities(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await tx.sql<{ id: string }[]>`
    select u.id from unit u
     where u.workspace_id = ${tx.workspaceId} and u.id = any(${ids as string[]}::uuid[]) and u.type = 'entity'
     order by u.id for key share of u`;
  return new Set(rows.map((row) => row.id));
}

/** The same for those who only read. */
export async function readKnownNames(tx: Tx, keys: readonly string[]): Promise<KnownName[]> {
  if (keys.length === 0) return [];
  return leaveOutShared(
    await tx.sql<KnownName[]>`
    select name_key as key, entity_id as "entityId", sensitivity from entity_name
     where workspace_id = ${tx.workspaceId} and name_key = any(${keys as string[]}::text[]) and status = 'active'`,
  );
}

function leaveOutShared(rows: readonly KnownName[]): KnownName[] {
  const byKey = Map.groupBy(rows, (row) => row.key);
  return rows.filter((row) => byKey.get(row.key)!.length <= NAME_SHARED_MAX);
}

/** A text that mentions an entity. */
export interface MentionRow {
  readonly entityId: string;
  readonly docNo: number;
  readonly subjectId: string;
  readonly subjectType: string;
  readonly sensitivity: Sensitivity;
  readonly mentionedAt: Date;
  readonly live: boolean;
  readonly given: boolean;
}

export async function insertMentions(tx: Tx, rows: readonly MentionRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.sql`
    insert into mention (workspace_id, entity_id, doc_no, subject_id, subject_type, sensitivity, mentioned_at, live, given)
    select ${tx.workspaceId}, r.entity_id, r.doc_no, r.subject_id, r.subject_type, r.sensitivity::sensitivity,
           r.mentioned_at, r.live = 1, r.given = 1
      from unnest(${rows.map((row) => row.entityId)}::uuid[], ${rows.map((row) => row.docNo)}::bigint[],
                  ${rows.map((row) => row.subjectId)}::uuid[], ${rows.map((row) => row.subjectType)}::text[],
                  ${rows.map((row) => row.sensitivity)}::text[],
                  ${rows.map((row) => row.mentionedAt.toISOString())}::timestamptz[],
                  ${rows.map((row) => Number(row.live))}::smallint[],
                  ${rows.map((row) => Number(row.given))}::smallint[])
           as r(entity_id, doc_no, subject_id, subject_type, sensitivity, mentioned_at, live, given)
        on conflict (workspace_id, entity_id, doc_no) do update
       set sensitivity = excluded.sensitivity, live = excluded.live, given = mention.given or excluded.given`;
}

/** The entities that a text mentions, as far as the transaction may know. */
export async function listMentionsOf(
  tx: Tx,
  docNos: readonly number[],
): Promise<{ docNo: number; entityId: string; given: boolean }[]> {
  return await tx.sql<{ docNo: number; entityId: string; given: boolean }[]>`
    select doc_no::float8 as "docNo", entity_id as "entityId", given from mention
     where workspace_id = ${tx.workspaceId} and doc_no = any(${docNos as number[]}::bigint[])`;
}

/** Marks the mentions of texts as live, or as those of former or archived texts. */
export async function setLive(tx: Tx, docNos: readonly number[], live: boolean): Promise<void> {
  await tx.sql`select svc_system.set_mentions_live(${docNos as number[]}::bigint[], ${live})`;
}

/**
 * Deletes mentions and sightings of texts. Returns the entities that were opened for a name in a text and that no text
 * mentions any more.
 */
export async function deleteMentions(tx: Tx, docNos: readonly number[]): Promise<string[]> {
  const docs = docNos as number[];
  const [orphans] = await Promise.all([
    tx.sql<{ id: string }[]>`select id from svc_system.forget_mentions(${docs}::bigint[]) as f(id)`,
    tx.sql`delete from name_sighting where workspace_id = ${tx.workspaceId} and doc_no = any(${docs}::bigint[])`,
  ]);
  return orphans.map((row) => row.id);
}

/**
 * Locks the given entities.
 * @returns those that were opened for a name in a text and that nobody has changed, related or mentioned since
 */
export async function lockOrphans(tx: Tx, ids: readonly string[], limit: number): Promise<string[]> {
  const locked = await tx.sql<{ id: string }[]>`
    select u.id from unit u
     where u.workspace_id = ${tx.workspaceId} and u.id = any(${ids as string[]}::uuid[]) and u.type = 'entity'
     order by u.id limit ${limit} for update of u`;
  // A transaction that linked a text to one of them held its lock until now, so this query sees the mention.
  const rows = await tx.sql<{ id: string }[]>`
    select o.id from svc_system.find_orphans(${locked.map((row) => row.id)}::uuid[]) as o(id)`;
  return rows.map((row) => row.id);
}

/**
 * The entities below a sensitivity that were opened for a name in some texts, and that nobody touched, relates, or names
 * in a text below it.
 */
export async function lockOpenedFor(tx: Tx, docNos: readonly number[], to: Sensitivity): Promise<string[]> {
  const { sql, workspaceId: ws } = tx;
  const locked = await sql<{ id: string }[]>`
    select u.id from unit u
     where u.workspace_id = ${ws} and u.type = 'entity' and u.version = 1 and not u.pinned
       and u.metadata ? 'inferredFrom' and u.sensitivity < ${to}::sensitivity
       and u.id in (select entity_id from mention
                     where workspace_id = ${ws} and doc_no = any(${docNos as number[]}::bigint[]))
     order by u.id for update of u`;
  if (locked.length === 0) return [];
  // A transaction that linked a text to one of them held its lock until now, so this query sees the mention.
  const rows = await sql<{ id: string }[]>`
    select e.id from unnest(${locked.map((row) => row.id)}::uuid[]) as e(id)
     where not exists (select from mention m
                        where m.workspace_id = ${ws} and m.entity_id = e.id and m.sensitivity < ${to}::sensitivity)
       and not exists (select from relation_participant p
                        where p.workspace_id = ${ws} and (p.unit_id = e.id or p.node_id = e.id))
       and not exists (select from unit_source s where s.workspace_id = ${ws} and s.source_id = e.id)`;
  return rows.map((row) => row.id);
}

/** A unit or turn whose list of entities has changed. */
export interface Unlisted {
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly sensitivity: Sensitivity;
  readonly docNo: number;
}

/**
 * Takes an entity off the lists of the texts that mention it, without a new version, because the texts stay the same:
 * of all whose authors named it, and of up to `foundMax` in which the service found it.
 */
export async function unlistEntity(tx: Tx, id: string, foundMax: number): Promise<Unlisted[]> {
  const { sql, workspaceId: ws } = tx;
  return await sql<Unlisted[]>`
    with listed as (
      select doc_no from mention where workspace_id = ${ws} and entity_id = ${id} and given
      union
      (select doc_no from mention where workspace_id = ${ws} and entity_id = ${id} and not given
        order by doc_no desc limit ${foundMax})
    ), units as (
      update unit u set entity_ids = array_remove(u.entity_ids, ${id}) from listed l
       where u.workspace_id = ${ws} and u.doc_no = l.doc_no and ${id} = any(u.entity_ids)
      returning u.id, u.type, u.version, u.sensitivity, u.doc_no
    ), turns as (
      update turn t set entity_ids = array_remove(t.entity_ids, ${id}) from listed l
       where t.workspace_id = ${ws} and t.doc_no = l.doc_no and ${id} = any(t.entity_ids)
      returning t.id, 'turn' as type, t.version, t.sensitivity, t.doc_no
    )
    select id, type, version, sensitivity, doc_no::float8 as "docNo" from units
    union all select id, type, version, sensitivity, doc_no::float8 from turns`;
}

/** Deletes some found mentions. */
export async function deleteFound(
  tx: Tx,
  rows: readonly { readonly docNo: number; readonly entityId: string }[],
): Promise<void> {
  if (rows.length === 0) return;
  await tx.sql`
    delete from mention m
     using unnest(${rows.map((row) => row.entityId)}::uuid[], ${rows.map((row) => row.docNo)}::bigint[])
           as r(entity_id, doc_no)
     where m.workspace_id = ${tx.workspaceId} and m.entity_id = r.entity_id and m.doc_no = r.doc_no and not m.given`;
}

/** Moves mentions and sightings of texts to a sensitivity, or to that of the entity where it is higher. */
export async function reclassifyMentions(tx: Tx, docNos: readonly number[], to: Sensitivity): Promise<void> {
  const docs = docNos as number[];
  await Promise.all([
    tx.sql`
      update mention m set sensitivity = greatest(e.sensitivity, ${to}::sensitivity)
        from unit e
       where m.workspace_id = ${tx.workspaceId} and m.doc_no = any(${docs}::bigint[])
         and e.workspace_id = ${tx.workspaceId} and e.id = m.entity_id`,
    tx.sql`
      update name_sighting set sensitivity = ${to}
       where workspace_id = ${tx.workspaceId} and doc_no = any(${docs}::bigint[])`,
  ]);
}

/** How often an entity is mentioned, and from when to when. */
export interface MentionStats {
  readonly entityId: string;
  readonly mentionCount: number;
  readonly firstSeenAt: Date | null;
  readonly lastSeenAt: Date | null;
}

/**
 * Counts the visible texts that mention entities or entities that were merged into them. Entities without
 * a mention are left out.
 */
export async function readMentionStats(tx: Tx, entityIds: readonly string[]): Promise<MentionStats[]> {
  if (entityIds.length === 0) return [];
  return await tx.sql<MentionStats[]>`
    with own as (
      select id, id as root from unnest(${entityIds as string[]}::uuid[]) as t(id)
      union
      select g.source_id, g.root_id from entity_merge g
       where g.workspace_id = ${tx.workspaceId} and g.root_id = any(${entityIds as string[]}::uuid[])
    )
    select o.root as "entityId", count(distinct m.doc_no)::float8 as "mentionCount",
           min(m.mentioned_at) as "firstSeenAt", max(m.mentioned_at) as "lastSeenAt"
      from own o join mention m on m.workspace_id = ${tx.workspaceId} and m.entity_id = o.id and m.live
     group by o.root`;
}
