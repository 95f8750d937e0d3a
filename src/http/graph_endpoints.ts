/** The graph, and the edges and graph of an entity in both of its faces. */
import { getEntityGraph, getGraph, listEntityEdges } from "../domain/graph/mod.ts";
import { EntityEdgePage, EntityEdgesQuery, EntityGraphQuery, Graph, GraphQuery } from "../schema/graph.ts";
import { UnitParams } from "../schema/unit.ts";
import { endpoint } from "./endpoint.ts";
import type { EntityFace } from "./entity_endpoints.ts";

const WHAT_IS_LEFT_OUT =
  "Archived and merged units are left out. The 200 strongest relations of a unit count; `truncated` says when something " +
  "was left out, and why. Places (`x`, `y`) follow from the graph alone, and another node moves the others little.";

/** `GET /graph` */
export function getGraphEndpoint() {
  return endpoint({
    method: "get",
    path: "/graph",
    operationId: "getGraph",
    summary: "A part of the graph, for drawing",
    description:
      "With `around`, the units within `depth` steps of one, over units that the filters show. Without, the ends of the " +
      "newest relations; with `types`, `tags` or `drawer` also the newest such units that have none. " +
      WHAT_IS_LEFT_OUT,
    scope: "memory:read",
    query: GraphQuery,
    response: Graph,
  }, (ctx, { query }) => getGraph(ctx, query));
}

/** `GET path/{id}/graph` */
export function entityGraphEndpoint({ path, suffix }: EntityFace) {
  return endpoint({
    method: "get",
    path: `${path}/{id}/graph`,
    operationId: `getEntityGraph${suffix}`,
    summary: "The graph around an entity",
    description: `Of a merged one, around the entity that stands for it. ${WHAT_IS_LEFT_OUT}`,
    scope: "memory:read",
    params: UnitParams,
    query: EntityGraphQuery,
    response: Graph,
    errors: ["erased"],
  }, (ctx, { params, query }) => getEntityGraph(ctx, params.id, query));
}

/** `GET path/{id}/edges` */
export function entityEdgesEndpoint({ path, suffix }: EntityFace) {
  return endpoint({
    method: "get",
    path: `${path}/{id}/edges`,
    operationId: `listEntityEdges${suffix}`,
    summary: "List the edges of an entity",
    description:
      "Its active relations, the newest first, then what follows from the units (`implied`): who mentions it, what it " +
      "was derived from and what from it, what supports it. Of a merged one, those of the entity that stands for it.",
    scope: "memory:read",
    params: UnitParams,
    query: EntityEdgesQuery,
    response: EntityEdgePage,
    errors: ["erased"],
  }, (ctx, { params, query }) => listEntityEdges(ctx, params.id, query));
}
