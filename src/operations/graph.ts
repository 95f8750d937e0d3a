/** The graph: edges, walks and drawings. */
import * as entityEdges from "../domain/graph/entity_edges.ts";
import * as picture from "../domain/graph/picture.ts";
import * as traverse from "../domain/graph/traverse.ts";
import {
  EntityEdgePage,
  EntityEdgesQuery,
  EntityGraphQuery,
  Graph,
  GraphQuery,
  TraverseBody,
  TraverseReply,
} from "../schema/graph.ts";
import { UnitParams } from "../schema/unit.ts";
import { GRAPH } from "./cost.ts";
import { operation } from "./operation.ts";

const WHAT_IS_LEFT_OUT =
  "Archived and merged units are left out. Only the 200 strongest relations of a unit count; `truncated` says if something was left out, and why. Positions (`x`, `y`) depend on the graph alone, and one more node moves the others only a little.";

/** A part of the graph. */
export const getGraph = operation({
  id: "getGraph",
  summary: "Read a part of the graph, for drawing",
  description:
    "With `around`, the units within `depth` steps of one, over units that the filters show. Without, the ends of the " +
    "newest relations; with `types`, `tags` or `drawer` also the newest such units that have none. " +
    WHAT_IS_LEFT_OUT,
  scope: "memory:read",
  cost: GRAPH,
  query: GraphQuery,
  reply: Graph,
}, (ctx, { query }) => picture.getGraph(ctx, query));

/** The graph around an entity. */
export const getEntityGraph = operation({
  id: "getEntityGraph",
  summary: "Read the graph around an entity",
  description: `Of a merged one, around the entity that stands for it. ${WHAT_IS_LEFT_OUT}`,
  scope: "memory:read",
  cost: GRAPH,
  params: UnitParams,
  query: EntityGraphQuery,
  reply: Graph,
  errors: ["erased"],
}, (ctx, { params, query }) => picture.getEntityGraph(ctx, params.id, query));

export const listEntityEdges = operation({
  id: "listEntityEdges",
  summary: "List the edges of an entity",
  description:
    "The entity's active relations by the time of their creation, then the edges derived from units (`implied`): mentions of it, its sources, what was derived from it, what supports it. For a merged entity: the edges of the one that it was merged into.",
  scope: "memory:read",
  params: UnitParams,
  query: EntityEdgesQuery,
  reply: EntityEdgePage,
  errors: ["erased"],
}, (ctx, { params, query }) => entityEdges.listEntityEdges(ctx, params.id, query));

/** Walks over relations. */
export const traverseRelations = operation({
  id: "traverseRelations",
  summary: "Traverse relations from some units",
  description:
    "Walks level by level over active relations to units that are not archived. Each unit is returned once, with the shortest path to it; among equally short paths, with the strongest. A hyperedge leads from each participant to the others, depending on their roles; symmetric verbs are followed in both directions. One walk visits at most 10,000 units and 20,000 edges and follows the 200 strongest relations of a unit; `truncated` says if something was left out.",
  scope: "memory:read",
  cost: GRAPH,
  body: TraverseBody,
  reply: TraverseReply,
  example: {
    body: {
      startIds: ["0195c1a0-0000-7000-8000-000000000001"],
      verbs: ["supports", "causes"],
      direction: "out",
      depth: 3,
    },
  },
}, (ctx, { body }) => traverse.traverse(ctx, body));
