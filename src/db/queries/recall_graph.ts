/** Reads of recall's graph tier: bounded neighbourhoods in the tables of names, mentions and relations. */
import type { Tx } from "../tx.ts";

/** A text near an entity, with the other entities that it mentions. */
export interface TextNearEntity {
  readonly entityId: string;
  readonly docNo: number;
  readonly subjectId: string;
  readonly subjectType: string;
  /** Texts that mention the entity, counted up to the cap. */
  readonly degree: number;
  readonly others: readonly string[];
}

/**
 * The texts that mention the given entities or entities merged into them; these are returned under
 * their survivor. An entity with more than `cap` texts is left out, because so many texts say
 * nothing about it.
 */
export async function readNearTexts(
  tx: Tx,
  entityIds: readonly string[],
  cap: number,
  withOthers: boolean,
): Promise<TextNearEntity[]> {
  const { sql } = tx;
  const others = withOthers
    ? sql`(select coalesce(array_agg(distinct coalesce(g.root_id, o.entity_id)), '{}')
             from (select entity_id from mention
                    where workspace_id = ${tx.workspaceId} and doc_no = n.doc_no and live limit 16) o
             left join entity_merge g on g.workspace_id = ${tx.workspaceId} and g.source_id = o.entity_id)`
    : sql`'{}'::uuid[]`;
  return await sql<TextNearEntity[]>`
    with own as (
      select id, id as root from unnest(${entityIds as string[]}::uuid[]) as t(id)
      union all
      select source_id, root_id from entity_merge
       where workspace_id = ${tx.workspaceId} and root_id = any(${entityIds as string[]}::uuid[])
    ), near as (
      select o.root, m.doc_no, m.subject_id, m.subject_type, count(*) over (partition by o.root) as degree
        from own o
       cross join lateral (
         select doc_no, subject_id, subject_type from mention
          where workspace_id = ${tx.workspaceId} and entity_id = o.id and live
          order by doc_no desc limit ${cap + 1}) m
    )
    select n.root as "entityId", n.doc_no::float8 as "docNo", n.subject_id as "subjectId",
           n.subject_type as "subjectType", n.degree::int as degree, ${others} as others
      from near n where n.degree <= ${cap}`;
}

/** The texts by which entities are recalled: their names and their attributes. */
export async function readEntityDocs(tx: Tx, ids: readonly string[]): Promise<{ id: string; docNo: number }[]> {
  return await tx.sql<{ id: string; docNo: number }[]>`
    select id, doc_no::float8 as "docNo" from unit
     where workspace_id = ${tx.workspaceId} and id = any(${ids as string[]}::uuid[])`;
}

/** The texts of some units, and of the sources of some relations. */
export async function readUnitDocs(
  tx: Tx,
  unitIds: readonly string[],
  relationIds: readonly string[],
  limit: number,
): Promise<{ id: string; docNo: number; relationId: string | null }[]> {
  return await tx.sql<{ id: string; docNo: number; relationId: string | null }[]>`
    select u.id, u.doc_no::float8 as "docNo", null::uuid as "relationId" from unit u
     where u.workspace_id = ${tx.workspaceId} and u.id = any(${unitIds as string[]}::uuid[]) and u.type <> 'entity'
    union all
    (select u.id, u.doc_no::float8, s.relation_id
       from unnest(${relationIds as string[]}::uuid[]) as r(id)
       join relation_source s on s.workspace_id = ${tx.workspaceId} and s.relation_id = r.id
       join unit u on u.workspace_id = ${tx.workspaceId} and u.id = s.source_id and u.type <> 'entity'
      order by 1 limit ${limit})`;
}

/** The names of entities, for display to people. */
export async function readEntityNames(tx: Tx, ids: readonly string[]): Promise<{ id: string; name: string }[]> {
  if (ids.length === 0) return [];
  return await tx.sql<{ id: string; name: string }[]>`
    select id, coalesce(body ->> 'canonicalName', text) as name from unit
     where workspace_id = ${tx.workspaceId} and id = any(${ids as string[]}::uuid[])`;
}
