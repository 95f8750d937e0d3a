/** A part of the graph for drawing: which units, the edges between them, and the position of each. */
import type { OperationContext } from "../../context.ts";
import { type EdgeFilter, type EdgeRow, listEdges } from "../../db/queries/edges.ts";
import {
  filterNodes,
  findNodes,
  listNewestNodes,
  listRelatedNodes,
  type NodeFilter,
  type NodeRow,
} from "../../db/queries/graph_nodes.ts";
import { BASES, type Basis, type ImpliedRow, listImplied, listImpliedAmong } from "../../db/queries/implied_edges.ts";
import type { Tx } from "../../db/tx.ts";
import type { EntityGraphQuery, Graph, GraphEdge, GraphQuery, TruncationReason } from "../../schema/graph.ts";
import type { Verb } from "../../schema/relation.ts";
import { requireUnit } from "../unit/store.ts";
import { layOut } from "./layout.ts";
import { requireStarts } from "./traverse.ts";
import { EDGES_MAX, FAN_OUT_MAX } from "./walk.ts";

/** Relations that are read to choose the units of a graph without a centre, the newest first. */
const SCAN_MAX = 5_000;
/** Units for which one step looks for implied edges. */
const IMPLYING_MAX = 50;

/** What a graph consists of. */
interface Request extends NodeFilter {
  readonly verbs: readonly Verb[] | undefined;
  readonly asOf: Date | undefined;
  readonly bases: readonly Basis[];
  readonly nodesMax: number;
  readonly edgesMax: number;
}

interface Chosen {
  /** The nodes with their depth, in the order in which they were chosen. */
  readonly nodes: ReadonlyMap<string, { readonly row: NodeRow; readonly depth: number | null }>;
}

/**
 * Makes a graph of the workspace: around a unit, or of the units that were related last.
 * @throws ServiceError `validation_failed` when `around` is not known
 */
export async function getGraph(ctx: OperationContext, query: GraphQuery): Promise<Graph> {
  return await ctx.tx(async (tx) => {
    const reasons = new Set<TruncationReason>();
    const request = { ...toRequest(query), tags: query.tags, drawer: query.drawer };
    if (query.around === undefined) return await draw(tx, request, await chooseNewest(tx, request, reasons), reasons);
    const [centre] = await requireStarts(tx, [query.around], "around");
    return await draw(tx, request, await chooseAround(tx, centre!, query.depth, request, reasons), reasons);
  }, { readOnly: true, fromReplica: true });
}

/**
 * The graph around an entity.
 * @throws ServiceError `not_found`, `erased`
 */
export async function getEntityGraph(ctx: OperationContext, id: string, query: EntityGraphQuery): Promise<Graph> {
  return await ctx.tx(async (tx) => {
    await requireUnit(tx, "entity", id);
    const [centre] = await requireStarts(tx, [id], "id");
    const reasons = new Set<TruncationReason>();
    const request = toRequest(query);
    return await draw(tx, request, await chooseAround(tx, centre!, query.depth, request, reasons), reasons);
  }, { readOnly: true, fromReplica: true });
}

function toRequest({ types, verbs, asOf, minTrust, implied, limit, edgeLimit }: EntityGraphQuery): Request {
  return {
    ...{ types, verbs, minTrust, nodesMax: limit, edgesMax: edgeLimit },
    asOf: asOf === undefined ? undefined : new Date(asOf),
    bases: implied ? basesOf(verbs) : [],
  };
}

/** The bases from which edges of these verbs may follow. */
export function basesOf(verbs: readonly Verb[] | undefined): Basis[] {
  return (Object.keys(BASES) as Basis[]).filter((basis) => verbs?.includes(BASES[basis]) ?? true);
}

/** Chooses a unit and those near it, level by level, the strongest relations first. */
async function chooseAround(
  tx: Tx,
  centre: string,
  depth: number,
  request: Request,
  reasons: Set<TruncationReason>,
): Promise<Chosen> {
  const [row] = await findNodes(tx, [centre]);
  const nodes = new Map([[centre, { row: row!, depth: 0 }]]);
  let frontier = [centre];
  for (let level = 1; level <= depth && frontier.length > 0; level++) {
    const near = new Map<string, number>();
    const meet = (id: string, weight: number) => {
      if (!nodes.has(id)) near.set(id, Math.max(near.get(id) ?? 0, weight));
    };
    const { edges, cut } = await followed(tx, frontier, request, reasons);
    if (cut.size > 0) reasons.add("fan_out");
    for (const edge of edges) meet(edge.toId, edge.weight);
    if (request.bases.length > 0) {
      if (frontier.length > IMPLYING_MAX) reasons.add("edges");
      for (const id of frontier.slice(0, IMPLYING_MAX)) {
        const window = { bases: request.bases, direction: "both", after: undefined, limit: FAN_OUT_MAX + 1 } as const;
        const implied = await listImplied(tx, id, window);
        if (implied.length > FAN_OUT_MAX) reasons.add("fan_out");
        for (const { otherId } of implied.slice(0, FAN_OUT_MAX)) meet(otherId, IMPLIED_WEIGHT);
      }
    }
    const shown = new Map((await filterNodes(tx, [...near.keys()], request)).map((node) => [node.id, node]));
    const reached = [...near].filter(([id]) => shown.has(id))
      .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([id]) => id);
    const room = request.nodesMax - nodes.size;
    if (reached.length > room) reasons.add("limit");
    frontier = reached.slice(0, room);
    for (const id of frontier) nodes.set(id, { row: shown.get(id)!, depth: level });
  }
  return { nodes };
}

/** The weight of an edge that has none, when edges are compared by weight. */
const IMPLIED_WEIGHT = 0.5;

/** The strongest relations of some units, and the units that have more. */
async function followed(
  tx: Tx,
  ids: readonly string[],
  { verbs, asOf, minTrust }: Request,
  reasons: Set<TruncationReason>,
): Promise<{ readonly edges: EdgeRow[]; readonly cut: ReadonlySet<string> }> {
  const filter: EdgeFilter = { verbs, asOf, minTrust, perNode: FAN_OUT_MAX + 1, limit: EDGES_MAX + 1 };
  const edges = await listEdges(tx, ids, filter);
  if (edges.length > EDGES_MAX) reasons.add("edges");
  const relations = new Map<string, Set<string>>();
  const cut = new Set<string>();
  const kept = edges.slice(0, EDGES_MAX).filter(({ fromId, relationId }) => {
    const own = relations.get(fromId) ?? new Set();
    relations.set(fromId, own);
    if (own.size === FAN_OUT_MAX && !own.has(relationId)) {
      cut.add(fromId);
      return false;
    }
    own.add(relationId);
    return true;
  });
  return { edges: kept, cut };
}

/** Chooses the ends of the newest relations; if the caller filters units, also units without relations. */
async function chooseNewest(tx: Tx, request: Request, reasons: Set<TruncationReason>): Promise<Chosen> {
  const related = await listRelatedNodes(tx, request, SCAN_MAX + 1);
  if (related.length > SCAN_MAX) reasons.add("scan");
  const ids = new Set<string>();
  for (const { nodeIds } of related.slice(0, SCAN_MAX)) {
    const added = nodeIds.filter((id) => !ids.has(id));
    if (nodeIds.length < 2) continue;
    if (ids.size + added.length > request.nodesMax) reasons.add("limit");
    else for (const id of added) ids.add(id);
  }
  const rows = await findNodes(tx, [...ids]);
  const { types, tags, drawer } = request;
  if ([types, tags, drawer].some((member) => member !== undefined)) {
    const newest = await listNewestNodes(tx, request, request.nodesMax + 1);
    const more = newest.filter((row) => !ids.has(row.id));
    const room = request.nodesMax - rows.length;
    if (more.length > room) reasons.add("limit");
    rows.push(...more.slice(0, room));
  }
  return { nodes: new Map(rows.map((row) => [row.id, { row, depth: null }])) };
}

/** Makes the reply: the chosen nodes with positions, and the edges between them. */
async function draw(tx: Tx, request: Request, { nodes }: Chosen, reasons: Set<TruncationReason>): Promise<Graph> {
  const ids = [...nodes.keys()];
  const { edges: steps, cut } = await followed(tx, ids, request, reasons);
  // A relation is read from each of its ends, so one can be missing only if two units have too many.
  if (cut.size > 1) reasons.add("fan_out");
  const edges = toEdges(steps.filter((edge) => nodes.has(edge.toId)));
  if (request.bases.length > 0) {
    const implied = await listImpliedAmong(tx, ids, { bases: request.bases, limit: request.edgesMax + 1 });
    edges.push(...implied.map(toImpliedEdge));
  }
  if (edges.length > request.edgesMax) reasons.add("edges");
  const shown = edges.slice(0, request.edgesMax);
  const place = new Map(ids.map((id, i) => [id, i]));
  const ties: [number, number][] = [];
  const degrees = ids.map(() => 0);
  for (const { sourceId, targetId, participants } of shown) {
    const ends = (participants?.map((end) => end.id) ?? [sourceId!, targetId!]).map((id) => place.get(id)!);
    for (const end of ends) degrees[end]!++;
    for (const end of ends.slice(1)) ties.push([ends[0]!, end]);
  }
  const places = layOut(ids, ties);
  return {
    nodes: ids.map((id, i) => {
      const { row, depth } = nodes.get(id)!;
      return { ...row, degree: degrees[i]!, ...places[i]!, depth };
    }),
    edges: shown,
    truncated: reasons.size > 0,
    truncatedBy: [...reasons].sort(),
  };
}

/** Turns steps into the relations that they belong to, each once, the strongest first. */
function toEdges(steps: readonly EdgeRow[]): GraphEdge[] {
  const relations = Map.groupBy(steps, (step) => step.relationId);
  const sorted = [...relations].sort(([a, [x]], [b, [y]]) => y!.weight - x!.weight || (a < b ? -1 : 1));
  return sorted.map(([relationId, steps]) => {
    const [step] = steps as [EdgeRow];
    const roles = new Map(steps.flatMap(({ fromId, fromRole, toId, toRole }) => [[fromId, fromRole], [toId, toRole]]));
    const [source, target] = step.fromRole === "source" ? [step.fromId, step.toId] : [step.toId, step.fromId];
    const participants = [...roles].sort(([a], [b]) => a < b ? -1 : 1).map(([id, role]) => ({ id, role }));
    return {
      ...{ implied: false, basis: null, relationId, verb: step.verb },
      sourceId: step.isHyper ? null : source,
      targetId: step.isHyper ? null : target,
      participants: step.isHyper ? participants : null,
      weight: step.weight,
      trustScore: step.trustScore,
      stale: step.stale,
      validFrom: step.validFrom?.toISOString() ?? null,
      validTo: step.validTo?.toISOString() ?? null,
    };
  });
}

function toImpliedEdge({ basis, sourceId, targetId }: ImpliedRow): GraphEdge {
  return { ...impliedShape(basis), sourceId, targetId, participants: null };
}

/** The members of an edge that is not a relation. */
export function impliedShape(basis: Basis) {
  return {
    ...{ implied: true, basis, relationId: null, verb: BASES[basis] },
    ...{ weight: null, trustScore: null, stale: false, validFrom: null, validTo: null },
  };
}
