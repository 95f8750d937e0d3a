/** The graph: edges, walks and drawings. */
import * as graph from "../domain/graph/mod.ts";
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
  "Archived and merged units are left out. The 200 strongest relations of a unit count; `truncated` says when something " +
  "was left out, and why. Places (`x`, `y`) follow from the graph alone, and another node moves the others little.";

/** A part of the graph. */
export const getGraph = operation({
  id: "getGraph",
  summary: "A part of the graph, for drawing",
  description:
    "With `around`, the units within `depth` steps of one, over units that the filters show. Without, the ends of the " +
    "newest relations; with `types`, `tags` or `drawer` also the newest such units that have none. " +
    WHAT_IS_LEFT_OUT,
  scope: "memory:read",
  cost: GRAPH,
  query: GraphQuery,
  reply: Graph,
}, (ctx, { query }) => graph.getGraph(ctx, query));

/** The graph around an entity. */
export const getEntityGraph = operation({
  id: "getEntityGraph",
  summary: "The graph around an entity",
  description: `Of a merged one, around the entity that stands for it. ${WHAT_IS_LEFT_OUT}`,
  scope: "memory:read",
  cost: GRAPH,
  params: UnitParams,
  query: EntityGraphQuery,
  reply: Graph,
  errors: ["erased"],
}, (ctx, { params, query }) => graph.getEntityGraph(ctx, params.id, query));

/** The edges of an entity. */
export const listEntityEdges = operation({
  id: "listEntityEdges",
  summary: "List the edges of an entity",
  description:
    "Its active relations, the newest first, then what follows from the units (`implied`): who mentions it, what it " +
    "was derived from and what from it, what supports it. Of a merged one, those of the entity that stands for it.",
  scope: "memory:read",
  params: UnitParams,
  query: EntityEdgesQuery,
  reply: EntityEdgePage,
  errors: ["erased"],
}, (ctx, { params, query }) => graph.listEntityEdges(ctx, params.id, query));

/** Walks over relations. */
export const traverseRelations = operation({
  id: "traverseRelations",
  summary: "Walk over relations from some units",
  description:
    "Level by level, over active relations, to units that are not archived. Each unit is answered once, with the " +
    "shortest way to it, the strongest of these. A hyperedge leads from each participant to the others, as their " +
    "roles say; verbs that say the same both ways are walked both ways. One walk comes to at most 10,000 units over " +
    "20,000 edges and follows the 200 strongest relations of a unit; `truncated` says when something was left out.",
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
}, (ctx, { body }) => graph.traverse(ctx, body));
