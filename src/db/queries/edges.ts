/** Relations seen from their ends: the edges of a graph whose nodes are units. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Verb } from "../../schema/relation.ts";
import type { UnitType } from "../../schema/unit.ts";
import type { Sql, Tx } from "../tx.ts";

/** One step from a unit over a relation to another participant of it. A hyperedge has one for each other participant. */
export interface EdgeRow {
  readonly relationId: string;
  readonly verb: Verb;
  readonly isHyper: boolean;
  readonly fromId: string;
  readonly fromRole: string;
  readonly toId: string;
  readonly toRole: string;
  readonly toType: UnitType;
  readonly weight: number;
  readonly confidence: number;
  readonly trustScore: number;
  readonly stale: boolean;
  readonly sensitivity: Sensitivity;
  readonly validFrom: Date | null;
  readonly validTo: Date | null;
}

/** Which edges count; every member that is given narrows them. */
export interface EdgeFilter {
  readonly verbs?: readonly Verb[] | undefined;
  /**
   * Along the relation (`out`), against it (`in`), or either way. Symmetric verbs, and roles other
   * than `source` and `target`, match in both directions.
   */
  readonly direction?: "out" | "in" | "both" | undefined;
  /** Valid in the world at this time. */
  readonly asOf?: Date | undefined;
  readonly minWeight?: number | undefined;
  /** Least trust score of the relation and of the unit that it leads to. */
  readonly minTrust?: number | undefined;
  /** The most relations of one unit, the strongest first. */
  readonly perNode: number;
  /** The most edges in all. */
  readonly limit: number;
}

/** The columns of a relation `r` between its participants `p` and `q`, the latter the unit `n`, as an `EdgeRow`. */
export function edgeColumns(sql: Sql) {
  return sql`
    p.relation_id as "relationId", p.verb, r.is_hyper as "isHyper", p.node_id as "fromId", p.role as "fromRole",
    q.node_id as "toId", q.role as "toRole", n.type as "toType", p.weight, r.confidence, r.trust_score as "trustScore",
    r.stale, r.sensitivity, r.valid_from as "validFrom", r.valid_to as "validTo"`;
}

/**
 * The edges of the given units over active relations to units that are not archived: unit by unit
 * in the order of `ids`, the strongest first, ties by id. The ids must be those of survivors,
 * because the relations of merged entities belong to these.
 */
export async function listEdges(tx: Tx, ids: readonly string[], filter: EdgeFilter): Promise<EdgeRow[]> {
  const { sql } = tx;
  const { direction } = filter;
  const all = <T>(value: T | undefined, make: (value: T) => ReturnType<typeof sql>) =>
    value === undefined ? sql`` : sql`and ${make(value)}`;
  const mayLead = direction === undefined || direction === "both"
    ? sql``
    : sql`and (p.verb in ('contradicts', 'related_to') and not r.is_hyper
               or p.role <> ${direction === "out" ? "target" : "source"})`;
  // Not sorted as a whole: the units come in their order, so the limit ends the work and not only the reply.
  return await sql<EdgeRow[]>`
    select e.* from unnest(${ids as string[]}::uuid[]) as f(id)
     cross join lateral (
       select ${edgeColumns(sql)}
         from (
           select p.* from relation_participant p
             join relation r on r.workspace_id = p.workspace_id and r.id = p.relation_id
            where p.workspace_id = ${tx.workspaceId} and p.node_id = f.id and p.is_active
              ${all(filter.verbs, (verbs) => sql`p.verb = any(${verbs as string[]}::text[])`)}
              ${all(filter.minWeight, (value) => sql`p.weight >= ${value}::real`)}
              ${all(filter.minTrust, (value) => sql`r.trust_score >= ${value}`)}
              ${filter.asOf === undefined ? sql`` : isValidAt(sql, filter.asOf)}
              ${mayLead}
            order by p.weight desc, p.relation_id limit ${filter.perNode}
         ) p
         join relation r on r.workspace_id = p.workspace_id and r.id = p.relation_id
         join relation_participant q on q.workspace_id = p.workspace_id and q.relation_id = p.relation_id
          and q.node_id <> p.node_id ${wayOf(sql, direction)}
         join unit n on n.workspace_id = q.workspace_id and n.id = q.node_id and n.status <> 'archived'
          ${all(filter.minTrust, (value) => sql`n.trust_score >= ${value}`)}
        order by p.weight desc, p.relation_id, q.place
     ) e
     limit ${filter.limit}`;
}

export interface EdgeWindow extends Pick<EdgeFilter, "verbs" | "direction" | "asOf"> {
  /** `desc`: the newest relation first. */
  readonly order: "asc" | "desc";
  /** The last edge of the page before. */
  readonly after: { readonly relationId: string; readonly toId: string } | undefined;
  readonly limit: number;
}

/** All edges of one unit, page by page, in the order of their relations' ids. See `listEdges`. */
export async function listEdgesOf(tx: Tx, id: string, window: EdgeWindow): Promise<EdgeRow[]> {
  const { sql } = tx;
  const { verbs, asOf, order, after, direction } = window;
  const [way, beyond, orSame] = order === "asc" ? [sql`asc`, sql`>`, sql`>=`] : [sql`desc`, sql`<`, sql`<=`];
  return await sql<EdgeRow[]>`
    select distinct on (p.relation_id, q.node_id) ${edgeColumns(sql)}
      from relation_participant p
      join relation r on r.workspace_id = p.workspace_id and r.id = p.relation_id
      join relation_participant q on q.workspace_id = p.workspace_id and q.relation_id = p.relation_id
       and q.node_id <> p.node_id ${wayOf(sql, direction)}
      join unit n on n.workspace_id = q.workspace_id and n.id = q.node_id and n.status <> 'archived'
     where p.workspace_id = ${tx.workspaceId} and p.node_id = ${id} and p.is_active
       ${verbs === undefined ? sql`` : sql`and p.verb = any(${verbs as string[]}::text[])`}
       ${asOf === undefined ? sql`` : isValidAt(sql, asOf)}
       ${
    after === undefined ? sql`` : sql`and p.relation_id ${orSame} ${after.relationId}
            and (p.relation_id, q.node_id) ${beyond} (${after.relationId}::uuid, ${after.toId}::uuid)`
  }
     order by p.relation_id ${way}, q.node_id ${way} limit ${window.limit}`;
}

/** The condition that a step from `p` to `q` goes in a direction. */
function wayOf(sql: Sql, direction: EdgeFilter["direction"]) {
  if (direction === undefined || direction === "both") return sql``;
  const [far, near] = direction === "out" ? ["target", "source"] : ["source", "target"];
  return sql`and (p.verb in ('contradicts', 'related_to') and not r.is_hyper
                  or p.role <> ${far!} and q.role <> ${near!})`;
}

function isValidAt(sql: Sql, time: Date) {
  return sql`and (r.valid_from is null or r.valid_from <= ${time}) and (r.valid_to is null or r.valid_to > ${time})`;
}
