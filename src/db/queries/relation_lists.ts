/** Keyset lists of relations. */
import type { RelationStatus, Verb } from "../../schema/relation.ts";
import type { Tx } from "../tx.ts";
import { findRelations, type RelationRow } from "./relations.ts";
import { hasTags } from "./tags.ts";

/** The filter of a list of relations; every member that is given narrows the list. */
export interface RelationFilter {
  readonly nodeId?: string | undefined;
  readonly sourceId?: string | undefined;
  readonly targetId?: string | undefined;
  readonly verbs?: readonly Verb[] | undefined;
  readonly statuses: readonly RelationStatus[];
  /** Valid in the world at this time. */
  readonly asOf?: Date | undefined;
  readonly stale?: boolean | undefined;
  readonly minTrust?: number | undefined;
  readonly minWeight?: number | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly tagsMatch?: "any" | "all" | undefined;
  readonly order: "asc" | "desc";
  /** The last id of the page before. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** Relations in the order of their ids, which is that of their creation. */
export async function listRelations(tx: Tx, filter: RelationFilter): Promise<RelationRow[]> {
  const { sql } = tx;
  const all = <T>(value: T | undefined, make: (value: T) => ReturnType<typeof sql>) =>
    value === undefined ? sql`` : sql`and ${make(value)}`;
  const end = (id: string, role?: "source" | "target"): ReturnType<typeof sql> =>
    sql`exists (
      select from relation_participant p
       where p.workspace_id = ${tx.workspaceId} and p.node_id = ${id} and p.relation_id = r.id
         ${all(role, (role) => sql`p.role = ${role}`)})`;
  const { order, tags } = filter;
  const rows = await sql<{ id: string }[]>`
    select r.id from relation r
     where r.workspace_id = ${tx.workspaceId} and r.status = any(${filter.statuses as string[]}::text[])
       ${all(filter.after, (after) => order === "asc" ? sql`r.id > ${after}` : sql`r.id < ${after}`)}
       ${all(filter.nodeId, (id) => end(id))}
       ${all(filter.sourceId, (id) => end(id, "source"))}
       ${all(filter.targetId, (id) => end(id, "target"))}
       ${all(filter.verbs, (verbs) => sql`r.verb = any(${verbs as string[]}::text[])`)}
       ${all(filter.stale, (stale) => sql`r.stale = ${stale}`)}
       ${all(filter.minTrust, (value) => sql`r.trust_score >= ${value}`)}
       ${all(filter.minWeight, (value) => sql`r.weight >= ${value}::real`)}
       ${
    all(filter.asOf, (time) =>
      sql`(r.valid_from is null or r.valid_from <= ${time}) and (r.valid_to is null or r.valid_to > ${time})`)
  }
       ${all(tags, (tags) => hasTags(sql, "r.tags", tags, filter.tagsMatch === "all"))}
     order by r.id ${order === "asc" ? sql`asc` : sql`desc`} limit ${filter.limit}`;
  const found = rows.length === 0 ? [] : await findRelations(tx, rows.map((row) => row.id));
  return order === "asc" ? found : found.reverse();
}
