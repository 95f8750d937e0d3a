/**
 * The condition that a text mentions an entity, for other statements. If few texts mention the
 * entity, they are looked up first. If very many do, the statement checks each text in the order of
 * its walk, because it soon has a full page.
 */
import type { Tx } from "../tx.ts";

/** With at most this many texts the look-up is cheaper than checking each text. */
const LOOKED_UP_MAX = 2_000;

export interface Mentioning {
  /** The entity and the entities merged into it. */
  readonly entityIds: readonly string[];
  /** Undefined: too many. */
  readonly docNos: readonly number[] | undefined;
}

type Fragment = ReturnType<Tx["sql"]>;

/** The texts that mention an entity or its survivor, under whatever id the entity had when a text was stored. */
export async function findMentioning(tx: Tx, entityId: string): Promise<Mentioning> {
  const { sql } = tx;
  const rows = await sql<{ id: string }[]>`
    with root as (
      select coalesce((select root_id from entity_merge
                        where workspace_id = ${tx.workspaceId} and source_id = ${entityId}), ${entityId}::uuid) as id
    )
    select id from root
    union
    select m.source_id from root join entity_merge m on m.workspace_id = ${tx.workspaceId} and m.root_id = root.id`;
  const entityIds = rows.map((row) => row.id);
  const docs = await sql<{ docNo: number }[]>`
    select m.doc_no::float8 as "docNo" from unnest(${entityIds}::uuid[]) as e(id)
     cross join lateral (
       select doc_no from mention where workspace_id = ${tx.workspaceId} and entity_id = e.id offset 0) m
     limit ${LOOKED_UP_MAX + 1}`;
  return { entityIds, docNos: docs.length > LOOKED_UP_MAX ? undefined : docs.map((row) => row.docNo) };
}

/** The condition that the text with this number mentions the entity. */
export function isMentioning(tx: Tx, { entityIds, docNos }: Mentioning, docNo: Fragment): Fragment {
  const { sql } = tx;
  if (docNos !== undefined) return sql`${docNo} = any(${docNos as number[]}::bigint[])`;
  // OFFSET makes Postgres check each text by itself: joined, it would read all mentions.
  return sql`exists (
    select from mention m
     where m.workspace_id = ${tx.workspaceId} and m.entity_id = any(${entityIds as string[]}::uuid[])
       and m.doc_no = ${docNo} offset 0)`;
}
