/**
 * Statements by which recall finds the names in a query. Candidates come only from `unit_name` and
 * `mention`. Each look-up is bounded: if very many texts have a name, the latest are read.
 */
import { KINDS } from "../../schema/common.ts";
import type { Tx } from "../tx.ts";
import { type Fragment, type RowFilter, turnConditions, unitConditions, unitSource } from "./recall_filters.ts";
import type { NameSource } from "./unit_names.ts";

/** A name as it is compared: the stems of its words, and the words. */
interface ComparedName {
  readonly key: string;
  readonly words: string;
}

/** The most rows of one name that are read, before the filters. */
const ROWS_MAX = 5_000;
/** The most entities with one name that are read. */
const HOLDERS_MAX = 50;

/** The names that units have now, or had at a time. */
function isCalled(tx: Tx, knownAt: Date | null): Fragment {
  return (knownAt === null
    ? tx.sql`n.until is null`
    : tx.sql`n.since <= ${knownAt} and (n.until is null or n.until > ${knownAt})`) as Fragment;
}

/** Returns those of the given keys that are names. */
export async function findNameKeys(tx: Tx, keys: readonly string[], knownAt: Date | null): Promise<string[]> {
  if (keys.length === 0) return [];
  // OFFSET keeps the look-ups apart: joined, a table without statistics is read as a whole.
  const rows = await tx.sql<{ key: string }[]>`
    select k.name_key as key from unnest(${keys as string[]}::text[]) as k(name_key)
     cross join lateral (
       select from unit_name n
        where n.workspace_id = ${tx.workspaceId} and n.name_key = k.name_key collate "C" and ${isCalled(tx, knownAt)}
        limit 1 offset 0) n`;
  return rows.map((row) => row.key);
}

/** Returns those of the given stems that occur in texts of units. */
export async function findHeldStems(tx: Tx, stems: readonly string[]): Promise<ReadonlySet<string>> {
  if (stems.length === 0) return new Set();
  const rows = await tx.sql<{ stem: string }[]>`
    select s.stem from unnest(${stems as string[]}::text[]) as s(stem)
     cross join lateral (
       select from posting p
        where p.workspace_id = ${tx.workspaceId} and p.term = s.stem and p.kind <> ${KINDS.turn} limit 1 offset 0) p`;
  return new Set(rows.map((row) => row.stem));
}

/** The names with keys from `from` up to but without `to`, at most `limit` of each. */
export async function listNames(
  tx: Tx,
  slices: readonly { readonly from: string; readonly to: string }[],
  knownAt: Date | null,
  limit: number,
): Promise<ComparedName[]> {
  if (slices.length === 0) return [];
  return await tx.sql<ComparedName[]>`
    select n.name_key as key, n.name_words as words
      from unnest(${slices.map(({ from }) => from)}::text[], ${
    slices.map(({ to }) => to)
  }::text[]) as s(from_key, to_key)
     cross join lateral (
       select distinct n.name_key, n.name_words from unit_name n
        where n.workspace_id = ${tx.workspaceId} and n.name_key >= s.from_key collate "C"
          and n.name_key < s.to_key collate "C" and ${isCalled(tx, knownAt)}
        limit ${limit}) n`;
}

/** An entity that has a name, or one that was merged into it. */
export interface NamedEntity {
  readonly entityId: string;
  readonly key: string;
}

export async function findNamedEntities(
  tx: Tx,
  keys: readonly string[],
  knownAt: Date | null,
): Promise<NamedEntity[]> {
  if (keys.length === 0) return [];
  return await tx.sql<NamedEntity[]>`
    with named as (
      select n.unit_id, k.name_key from unnest(${keys as string[]}::text[]) as k(name_key)
       cross join lateral (
         select n.unit_id from unit_name n
          where n.workspace_id = ${tx.workspaceId} and n.name_key = k.name_key collate "C" and n.unit_type = 'entity'
            and n.source <> 'tag' and ${isCalled(tx, knownAt)}
          order by n.unit_id limit ${HOLDERS_MAX} offset 0) n
    )
    select unit_id as "entityId", name_key as key from named
    union
    select g.source_id, named.name_key from named
      join entity_merge g on g.workspace_id = ${tx.workspaceId} and g.root_id = named.unit_id`;
}

/** A name by which the query names a text: of its unit, or of an entity that the text mentions. */
export interface NamedText {
  readonly docNo: number;
  readonly source: NameSource | "entity";
  readonly key: string;
}

/** The names and entities in a query. */
export interface NameLookup {
  readonly keys: readonly string[];
  readonly entities: readonly NamedEntity[];
}

/** Texts of units that have one of some names, or mention one of some entities, as the filters let through; the latest. */
export async function findNamedUnits(
  tx: Tx,
  wanted: NameLookup,
  filter: RowFilter,
  limit: number,
): Promise<NamedText[]> {
  const { sql } = tx;
  const { knownAt, types } = filter;
  const [id, docNo] = knownAt === null ? [sql`u.id`, sql`u.doc_no`] : [sql`r.id`, sql`r.doc_no`];
  return await sql<NamedText[]>`
    with hit as (
      select n.unit_id, null::bigint as doc_no, k.name_key, n.source
        from unnest(${wanted.keys as string[]}::text[]) as k(name_key)
       cross join lateral (
         select n.unit_id, n.source from unit_name n
          where n.workspace_id = ${tx.workspaceId} and n.name_key = k.name_key collate "C"
            and n.unit_type = any(${types as string[]}::text[]) and ${isCalled(tx, knownAt)}
          order by n.unit_id desc limit ${ROWS_MAX} offset 0) n
      union all
      select m.subject_id, m.doc_no, e.name_key, 'entity'
        from ${entitiesOf(tx, wanted)}
       cross join lateral (
         select m.subject_id, m.doc_no from mention m
          where m.workspace_id = ${tx.workspaceId} and m.entity_id = e.id
            and m.subject_type = any(${types as string[]}::text[])
          order by m.doc_no desc limit ${ROWS_MAX} offset 0) m
    ), kept as (
      select h.unit_id, d.doc_no, h.docs, h.sources, h.keys
        from (select unit_id, array_agg(doc_no) as docs, array_agg(source) as sources, array_agg(name_key) as keys
                from hit group by unit_id order by unit_id desc) as h
       cross join lateral (
         select ${docNo} as doc_no from ${unitSource(tx, filter)}
          where ${id} = h.unit_id and ${unitConditions(tx, filter)} limit 1 offset 0) d
       order by h.unit_id desc limit ${limit}
    )
    select kept.doc_no::float8 as "docNo", hit.source, hit.name_key as key
      from kept cross join lateral unnest(kept.docs, kept.sources, kept.keys) as hit(doc_no, source, name_key)
     where hit.doc_no is null or hit.doc_no = kept.doc_no`;
}

/** Turns that mention one of some entities, as the filters let through; the latest. */
export async function findNamedTurns(
  tx: Tx,
  wanted: NameLookup,
  filter: RowFilter,
  limit: number,
): Promise<NamedText[]> {
  if (wanted.entities.length === 0) return [];
  return await tx.sql<NamedText[]>`
    with found as (
      select t.doc_no::float8 as doc_no, e.name_key
        from ${entitiesOf(tx, wanted)}
       cross join lateral (
         select m.doc_no from mention m
          where m.workspace_id = ${tx.workspaceId} and m.entity_id = e.id and m.subject_type = 'turn'
          order by m.doc_no desc limit ${ROWS_MAX} offset 0) m
        join turn t on t.workspace_id = ${tx.workspaceId} and t.doc_no = m.doc_no
       where ${turnConditions(tx, filter)}
    )
    select distinct doc_no as "docNo", 'entity' as source, name_key as key from found
     where doc_no in (select distinct doc_no from found order by doc_no desc limit ${limit})`;
}

/** The names by which the query names some texts, which the filters have let through. */
export async function findNamesOf(
  tx: Tx,
  docs: readonly number[],
  wanted: NameLookup,
  filter: RowFilter,
): Promise<NamedText[]> {
  if (docs.length === 0) return [];
  const { sql } = tx;
  const { knownAt } = filter;
  const [id, docNo] = knownAt === null ? [sql`u.id`, sql`u.doc_no`] : [sql`r.id`, sql`r.doc_no`];
  return await sql<NamedText[]>`
    select ${docNo}::float8 as "docNo", n.source, n.name_key as key
      from unit_name n, ${unitSource(tx, filter)}
     where ${docNo} = any(${docs as number[]}::bigint[]) and ${unitConditions(tx, filter)}
       and n.workspace_id = ${tx.workspaceId} and n.unit_id = ${id}
       and n.name_key = any(${wanted.keys as string[]}::text[]) and ${isCalled(tx, knownAt)}
    union all
    select m.doc_no::float8, 'entity', e.name_key
      from ${entitiesOf(tx, wanted)}
      join mention m on m.workspace_id = ${tx.workspaceId} and m.entity_id = e.id
                    and m.doc_no = any(${docs as number[]}::bigint[])`;
}

function entitiesOf(tx: Tx, { entities }: NameLookup): Fragment {
  return tx.sql`
    unnest(${entities.map(({ entityId }) => entityId)}::uuid[], ${
    entities.map(({ key }) => key)
  }::text[]) as e(id, name_key)` as Fragment;
}

/** A name of an entity, for the hot tier. */
export interface EntityName extends ComparedName {
  readonly entityId: string;
}

/** The present names of the given entities, or of the latest ones. */
export async function readEntityNames(
  tx: Tx,
  which: { readonly ids: readonly string[] } | { readonly limit: number },
): Promise<EntityName[]> {
  const { sql } = tx;
  return await sql<EntityName[]>`
    select n.unit_id as "entityId", n.name_key as key, n.name_words as words from unit_name n
     where n.workspace_id = ${tx.workspaceId} and n.unit_type = 'entity' and n.source <> 'tag' and n.until is null
       ${
    "ids" in which
      ? sql`and n.unit_id = any(${which.ids as string[]}::uuid[])`
      : sql`order by n.unit_id desc limit ${which.limit}`
  }`;
}

/** Pairs of merged entities and their survivors: those with one of some ids, or the latest. */
export async function readEntityRoots(
  tx: Tx,
  which: { readonly ids: readonly string[] } | { readonly limit: number },
): Promise<{ readonly sourceId: string; readonly rootId: string }[]> {
  const { sql } = tx;
  return await sql<{ sourceId: string; rootId: string }[]>`
    select g.source_id as "sourceId", g.root_id as "rootId" from entity_merge g
     where g.workspace_id = ${tx.workspaceId}
       ${
    "ids" in which
      ? sql`and (g.source_id = any(${which.ids as string[]}::uuid[]) or g.root_id = any(${which
        .ids as string[]}::uuid[]))`
      : sql`order by g.merged_at desc limit ${which.limit}`
  }`;
}
