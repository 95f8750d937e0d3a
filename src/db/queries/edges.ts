/** Relations seen from their ends: the edges of a graph whose nodes are units. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Verb } from "../../schema/relation.ts";
import type { UnitType } from "../../schema/unit.ts";
import type { Sql, Tx } from "../scope.ts";

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
   * From the unit along the relation (`out`), against it (`in`), or either way. Verbs that say the same both ways, and
   * roles other than `source` and `target`, lead either way.
   */
  readonly direction?: "out" | "in" | "both" | undefined;
  /** Valid in the world at this time. */
  readonly asOf?: Date | undefined;
  readonly minWeight?: number | undefined;
  /** Of the relation and of the unit that it leads to. */
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
 * The edges of some units, of active relations, to units that are not archived: of each unit the strongest relations
 * first, equal ones by id, in the order of the ids given. Ids have to be those of survivors: relations of merged
 * entities hang on these.
 */
export async function listEdges(tx: Tx, ids: readonly string[], filter: EdgeFilter): Promise<EdgeRow[]> {
  const { sql } = tx;
  const { direction } = filter;
  const all = <T>(value: T | undefined, make: (value: T) => ReturnType<typeof sql>) =>
    value === undefined ? sql`` : sql`and ${make(value)}`;
  const isWay = (far: string, near: string) =>
    sql`and (p.verb in ('contradicts', 'related_to') and not r.is_hyper
             or p.role <> ${far} and (q.role <> ${near}))`;
  const way = direction === "out" ? isWay("target", "source") : direction === "in" ? isWay("source", "target") : sql``;
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
              ${
    all(filter.asOf, (time) =>
      sql`(r.valid_from is null or r.valid_from <= ${time}) and (r.valid_to is null or r.valid_to > ${time})`)
  }
              ${mayLead}
            order by p.weight desc, p.relation_id limit ${filter.perNode}
         ) p
         join relation r on r.workspace_id = p.workspace_id and r.id = p.relation_id
         join relation_participant q on q.workspace_id = p.workspace_id and q.relation_id = p.relation_id
          and q.node_id <> p.node_id ${way}
         join unit n on n.workspace_id = q.workspace_id and n.id = q.node_id and n.status <> 'archived'
          ${all(filter.minTrust, (value) => sql`n.trust_score >= ${value}`)}
        order by p.weight desc, p.relation_id, q.place
     ) e
     limit ${filter.limit}`;
}
