/**
 * Walks over relations, level by level with one round trip each. Each unit gets its shortest path, the strongest of
 * several. Each request reads a bounded part of the graph, and the reply says what was left out.
 */
import { type EdgeFilter, type EdgeRow, listEdges } from "../../db/queries/edges.ts";
import type { Tx } from "../../db/tx.ts";
import type { Direction, TruncationReason } from "../../schema/graph.ts";
import { VERBS } from "../../schema/relation.ts";

/** The most relations that are followed from one unit. */
export const FAN_OUT_MAX = 200;
/** The most units that one walk reaches. */
export const VISITED_MAX = 10_000;
/** The most edges that one walk reads. */
export const EDGES_MAX = 20_000;

/** A unit that a walk reached. */
export interface Visit {
  readonly id: string;
  readonly depth: number;
  /** The product of the weights along the path. */
  readonly weight: number;
  /** The last step of the path; undefined at a start. */
  readonly via: EdgeRow | undefined;
}

export interface Walk {
  /** By id, in the order in which the walk found them, the starts first. */
  readonly visits: ReadonlyMap<string, Visit>;
  readonly truncatedBy: ReadonlySet<TruncationReason>;
}

export interface WalkOptions extends Omit<EdgeFilter, "perNode" | "limit"> {
  readonly depth: number;
  /** The most units to reach, at most `VISITED_MAX`. */
  readonly nodesMax?: number;
}

/** Walks from units that are visible and not merged. */
export async function walk(tx: Tx, startIds: readonly string[], options: WalkOptions): Promise<Walk> {
  const { depth, nodesMax = VISITED_MAX, ...filter } = options;
  const visits = new Map<string, Visit>(startIds.map((id) => [id, { id, depth: 0, weight: 1, via: undefined }]));
  const truncatedBy = new Set<TruncationReason>();
  let frontier: readonly Visit[] = [...visits.values()];
  let budget = EDGES_MAX;
  for (let level = 1; level <= depth && frontier.length > 0; level++) {
    // The strongest come first: if the walk ends early, it has covered the most important part.
    const ids = frontier.toSorted(byStrength).map((visit) => visit.id);
    const found = await listEdges(tx, ids, { ...filter, perNode: FAN_OUT_MAX + 1, limit: budget + 1 });
    const edges = withinFanOut(found.slice(0, budget), truncatedBy);
    const reached = [...nearest(edges, visits, level).values()].sort(byStrength);
    const room = nodesMax - (visits.size - startIds.length);
    if (reached.length > room) truncatedBy.add("nodes");
    frontier = reached.slice(0, room);
    for (const visit of frontier) visits.set(visit.id, visit);
    const isCut = found.length > budget;
    budget = Math.max(0, budget - found.length);
    if (isCut || (budget === 0 && level < depth && frontier.length > 0)) truncatedBy.add("edges");
    if (truncatedBy.has("nodes") || budget === 0) break;
  }
  return { visits, truncatedBy };
}

/** Drops edges beyond the most relations that are followed from one unit. The strongest come first. */
function withinFanOut(edges: readonly EdgeRow[], truncatedBy: Set<TruncationReason>): EdgeRow[] {
  const relations = new Map<string, Set<string>>();
  return edges.filter(({ fromId, relationId }) => {
    const followed = relations.get(fromId) ?? new Set();
    relations.set(fromId, followed);
    if (!followed.has(relationId) && followed.size === FAN_OUT_MAX) {
      truncatedBy.add("fan_out");
      return false;
    }
    followed.add(relationId);
    return true;
  });
}

/** Units that the edges reach for the first time, each by its strongest path. */
function nearest(
  edges: readonly EdgeRow[],
  visits: ReadonlyMap<string, Visit>,
  depth: number,
): ReadonlyMap<string, Visit> {
  const reached = new Map<string, Visit>();
  for (const edge of edges) {
    if (visits.has(edge.toId)) continue;
    const visit = { id: edge.toId, depth, weight: visits.get(edge.fromId)!.weight * edge.weight, via: edge };
    const before = reached.get(edge.toId);
    if (before === undefined || isStronger(visit, before)) reached.set(edge.toId, visit);
  }
  return reached;
}

/** Ids decide between equally strong paths, so that the same graph gives the same answer. */
function isStronger(a: Visit & { readonly via: EdgeRow }, b: Visit): boolean {
  if (a.weight !== b.weight) return a.weight > b.weight;
  const key = ({ relationId, fromId }: EdgeRow) => `${relationId} ${fromId}`;
  return key(a.via) < key(b.via!);
}

export function byStrength(a: Visit, b: Visit): number {
  return b.weight - a.weight || (a.id < b.id ? -1 : 1);
}

/** The steps from a start to a unit. */
export function wayTo(visits: ReadonlyMap<string, Visit>, visit: Visit): EdgeRow[] {
  const steps: EdgeRow[] = [];
  for (let at = visit; at.via !== undefined; at = visits.get(at.via.fromId)!) steps.unshift(at.via);
  return steps;
}

/** The direction in which a step follows its relation. */
export function directionOf({ verb, isHyper, fromRole, toRole }: EdgeRow): Direction {
  const isOut = fromRole !== "target" && toRole !== "source";
  const isIn = fromRole !== "source" && toRole !== "target";
  if (!isHyper && VERBS[verb].symmetric) return "both";
  return isOut === isIn ? "both" : isOut ? "out" : "in";
}
