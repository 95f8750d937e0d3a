/** Relations seen from their ends: the edges of a graph whose nodes are units. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Verb } from "../../schema/relation.ts";
import type { Tx } from "../scope.ts";

/** One step from a unit over a relation to another participant of it. A hyperedge has one for each other participant. */
export interface EdgeRow {
  readonly relationId: string;
  readonly verb: Verb;
  readonly isHyper: boolean;
  readonly fromId: string;
  readonly fromRole: string;
  readonly toId: string;
  readonly toRole: string;
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
  readonly minTrust?: number | undefined;
  /** The most relations of one unit, the strongest first. */
  readonly perNode: number;
  /** The most edges in all. */
  readonly limit: number;
}

/**
 * The edges of some units, of active relations: of each unit the strongest relations first, equal ones by id. Ids have to
 * be those of survivors: relations of merged entities hang on these. Edges are in the order of the ids given.
 */
export async function listEdges(tx: Tx, ids: readonly string[], filter: EdgeFilter): Promise<EdgeRow[]> {
  const { sql } = tx;
  const all = <T>(value: T | undefined, make: (value: T) => ReturnType<typeof sql>) =>
    value === undefined ? sql`` : sql`and ${make(value)}`;
  const way = (near: string, far: string) =>
    sql`(p.verb in ('contradicts', 'related_to') and not r.is_hyper or p.role <> ${far} and q.role <> ${near})`;
  return await sql<EdgeRow[]>`
    select e.* from unnest(${ids as string[]}::uuid[]) with ordinality as f(id, place)
     cross join lateral (
       select p.relation_id as "relationId", p.verb, r.is_hyper as "isHyper", p.node_id as "fromId",
              p.role as "fromRole", q.node_id as "toId", q.role as "toRole", p.weight, r.confidence,
              r.trust_score as "trustScore", r.stale, r.sensitivity, r.valid_from as "validFrom",
              r.valid_to as "validTo"
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
              ${
    filter.direction === undefined || filter.direction === "both"
      ? sql``
      : sql`and (p.verb in ('contradicts', 'related_to') and not r.is_hyper
                 or p.role <> ${filter.direction === "out" ? "target" : "source"})`
  }
            order by p.weight desc, p.relation_id limit ${filter.perNode}
         ) p
         join relation r on r.workspace_id = p.workspace_id and r.id = p.relation_id
         join relation_participant q on q.workspace_id = p.workspace_id and q.relation_id = p.relation_id
          and q.node_id <> p.node_id
          ${
    filter.direction === undefined || filter.direction === "both"
      ? sql``
      : sql`and ${filter.direction === "out" ? way("source", "target") : way("target", "source")}`
  }
     ) e
     order by f.place, e.weight desc, e."relationId", e."toId" limit ${filter.limit}`;
}
