/** Units as the nodes of a graph. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Verb } from "../../schema/relation.ts";
import type { UnitType } from "../../schema/unit.ts";
import type { Sql, Tx } from "../tx.ts";
import { hasTags } from "./tags.ts";

export interface NodeRow {
  readonly id: string;
  readonly type: UnitType;
  /** The first line of its text. */
  readonly label: string;
  readonly status: string;
  readonly trustScore: number;
  readonly sensitivity: Sensitivity;
  readonly stale: boolean;
}

/** The filter of the units in a graph; every member that is given narrows the graph. */
export interface NodeFilter {
  readonly types?: readonly UnitType[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly drawer?: string | undefined;
  readonly minTrust?: number | undefined;
}

/** The columns of a row of `unit` under the alias `u` as a `NodeRow`. */
function nodeColumns(sql: Sql) {
  return sql`
    u.id, u.type, left(split_part(u.text, E'\n', 1), 200) as label, u.status, u.trust_score as "trustScore",
    u.sensitivity, u.stale`;
}

/** The condition that a unit `u` is shown. */
function isShown(sql: Sql, { types, tags, drawer, minTrust }: NodeFilter) {
  return sql`u.status not in ('archived', 'merged')
    ${types === undefined ? sql`` : sql`and u.type = any(${types as string[]}::text[])`}
    ${tags === undefined ? sql`` : sql`and ${hasTags(sql, "u.tags", tags)}`}
    ${minTrust === undefined ? sql`` : sql`and u.trust_score >= ${minTrust}`}
    ${drawer === undefined ? sql`` : sql`and u.type = 'entity' and u.body @> ${sql.json({ drawers: [drawer] })}`}`;
}

/** Nodes by id, in the order of their ids, in any state. */
export async function findNodes(tx: Tx, ids: readonly string[]): Promise<NodeRow[]> {
  return await tx.sql<NodeRow[]>`
    select ${nodeColumns(tx.sql)} from unit u
     where u.workspace_id = ${tx.workspaceId} and u.id = any(${ids as string[]}::uuid[])
     order by u.id`;
}

/** The given nodes that the filter shows. */
export async function filterNodes(tx: Tx, ids: readonly string[], filter: NodeFilter): Promise<NodeRow[]> {
  return await tx.sql<NodeRow[]>`
    select ${nodeColumns(tx.sql)} from unit u
     where u.workspace_id = ${tx.workspaceId} and u.id = any(${ids as string[]}::uuid[]) and ${isShown(tx.sql, filter)}
     order by u.id`;
}

/** The newest nodes that are shown. */
export async function listNewestNodes(tx: Tx, filter: NodeFilter, limit: number): Promise<NodeRow[]> {
  return await tx.sql<NodeRow[]>`
    select ${nodeColumns(tx.sql)} from unit u
     where u.workspace_id = ${tx.workspaceId} and ${isShown(tx.sql, filter)}
     order by u.id desc limit ${limit}`;
}

/** The ends of a relation that are shown. */
export interface RelatedNodes {
  readonly relationId: string;
  readonly nodeIds: readonly string[];
}

/** The shown ends of the newest `relationsMax` relations. A relation may have fewer than two. */
export async function listRelatedNodes(
  tx: Tx,
  filter: NodeFilter & { readonly verbs?: readonly Verb[] | undefined; readonly asOf?: Date | undefined },
  relationsMax: number,
): Promise<RelatedNodes[]> {
  const { sql } = tx;
  const { verbs, asOf, minTrust } = filter;
  return await sql<RelatedNodes[]>`
    select r.id as "relationId",
           coalesce(array_agg(u.id order by p.place) filter (where u.id is not null), '{}') as "nodeIds"
      from (
        select r.id from relation r
         where r.workspace_id = ${tx.workspaceId} and r.status = 'active'
           ${verbs === undefined ? sql`` : sql`and r.verb = any(${verbs as string[]}::text[])`}
           ${minTrust === undefined ? sql`` : sql`and r.trust_score >= ${minTrust}`}
           ${
    asOf === undefined
      ? sql``
      : sql`and (r.valid_from is null or r.valid_from <= ${asOf}) and (r.valid_to is null or r.valid_to > ${asOf})`
  }
         order by r.id desc limit ${relationsMax}
      ) r
      join relation_participant p on p.workspace_id = ${tx.workspaceId} and p.relation_id = r.id
      left join unit u on u.workspace_id = ${tx.workspaceId} and u.id = p.node_id and ${isShown(sql, filter)}
     group by r.id order by r.id desc`;
}
