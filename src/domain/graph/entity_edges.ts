/** Lists the edges of one entity, page by page: its relations by age, then the edges that follow from units. */
import type { OperationContext } from "../../context.ts";
import { isUuid } from "../../crypto/ids.ts";
import { type EdgeRow, listEdgesOf } from "../../db/queries/edges.ts";
import { findNodes } from "../../db/queries/graph_nodes.ts";
import { type ImpliedEdge, listImplied, placeOf } from "../../db/queries/implied_edges.ts";
import type { Tx } from "../../db/tx.ts";
import type { Page } from "../../schema/common.ts";
import type { EntityEdge, EntityEdgesQuery, GraphNode } from "../../schema/graph.ts";
import { decodeCursor, encodeCursor, toPage } from "../common/cursor.ts";
import { requireUnit } from "../unit/store.ts";
import { basesOf, impliedShape } from "./picture.ts";
import { requireStarts } from "./traverse.ts";
import { directionOf } from "./walk.ts";

type Found = { readonly edge: EdgeRow } | { readonly implied: ImpliedEdge };

/**
 * The edges of an entity; for a merged one, those of the entity that it was merged into.
 * @throws ServiceError `not_found`, `erased`
 */
export async function listEntityEdges(
  ctx: OperationContext,
  id: string,
  query: EntityEdgesQuery,
): Promise<Page<EntityEdge>> {
  const { limit, order } = query;
  const list = `edges:${id}`;
  const key = decodeCursor(list, order, query.cursor, isKey);
  return await ctx.tx(async (tx) => {
    await requireUnit(tx, "entity", id);
    const [own] = await requireStarts(tx, [id], "id");
    const found = await readEdges(tx, own!, query, key);
    const others = found.map((item) => "edge" in item ? item.edge.toId : item.implied.otherId);
    const nodes = new Map((await findNodes(tx, others)).map((node) => [node.id, node]));
    return toPage(
      found,
      limit,
      (item) => toItem(item, own!, nodes),
      (item) => encodeCursor(list, order, keyOf(item, own!)),
    );
  }, { readOnly: true, fromReplica: true });
}

/** One more than a page. */
async function readEdges(tx: Tx, id: string, query: EntityEdgesQuery, key: string | undefined): Promise<Found[]> {
  const { verbs, direction, implied, order } = query;
  const limit = query.limit + 1;
  const asOf = query.asOf === undefined ? undefined : new Date(query.asOf);
  const [place, first, second] = key?.split(" ") ?? [];
  const found: Found[] = [];
  if (place === undefined || place === "r") {
    const after = place === undefined ? undefined : { relationId: first!, toId: second! };
    const edges = await listEdgesOf(tx, id, { verbs, direction, asOf, order, after, limit });
    found.push(...edges.map((edge) => ({ edge })));
  }
  if (!implied || found.length === limit) return found;
  const after = place === undefined || place === "r" ? undefined : { place: Number(place), otherId: first! };
  const rest = await listImplied(tx, id, { bases: basesOf(verbs), direction, after, limit: limit - found.length });
  return [...found, ...rest.map((implied) => ({ implied }))];
}

function keyOf(item: Found, id: string): string {
  return "edge" in item
    ? `r ${item.edge.relationId} ${item.edge.toId}`
    : `${placeOf(item.implied, id)} ${item.implied.otherId}`;
}

function isKey(key: unknown): key is string {
  if (typeof key !== "string") return false;
  const [place, ...ids] = key.split(" ");
  return (place === "r" ? ids.length === 2 : /^\d$/.test(place!) && ids.length === 1) && ids.every(isUuid);
}

function toItem(item: Found, id: string, nodes: ReadonlyMap<string, GraphNode>): EntityEdge {
  if ("implied" in item) {
    const { basis, sourceId, otherId } = item.implied;
    return {
      ...impliedShape(basis),
      direction: sourceId === id ? "out" : "in",
      unit: nodes.get(otherId)!,
      ...{ hyper: false, role: null, unitRole: null },
    };
  }
  const { edge } = item;
  return {
    ...{ implied: false, basis: null, relationId: edge.relationId, verb: edge.verb },
    weight: edge.weight,
    trustScore: edge.trustScore,
    stale: edge.stale,
    validFrom: edge.validFrom?.toISOString() ?? null,
    validTo: edge.validTo?.toISOString() ?? null,
    direction: directionOf(edge),
    unit: nodes.get(edge.toId)!,
    ...{ hyper: edge.isHyper, role: edge.fromRole, unitRole: edge.toRole },
  };
}
