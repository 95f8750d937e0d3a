/** Relations, version 3, and walks over them. Interface §4.4, decisions §3 "Relation", §6 "relations". */
import { traverse } from "../../../domain/graph/mod.ts";
import { TraverseBody, TraverseReply } from "../../../schema/graph.ts";
import { endpoint } from "../../endpoint.ts";
import {
  archiveRelationEndpoint,
  createRelationEndpoint,
  createRelationsEndpoint,
  getRelationEndpoint,
  listRelationsEndpoint,
  listRelationVerbsEndpoint,
  type RelationFace,
  updateRelationEndpoint,
} from "../../relation_endpoints.ts";

const face: RelationFace = { path: "/memory/relations", suffix: "" };

export const createRelation = createRelationEndpoint(face);
export const createRelations = createRelationsEndpoint(face);
export const listRelations = listRelationsEndpoint(face);
export const listRelationVerbs = listRelationVerbsEndpoint(face);
export const getRelation = getRelationEndpoint(face);
export const updateRelation = updateRelationEndpoint(face);
export const archiveRelation = archiveRelationEndpoint(face);

/** Walks over relations. */
export const traverseRelations = endpoint({
  method: "post",
  path: "/memory/relations/traverse",
  operationId: "traverseRelations",
  summary: "Walk over relations from some units",
  description:
    "Level by level, over active relations, to units that are not archived. Each unit is answered once, with the " +
    "shortest way to it, the strongest of these. A hyperedge leads from each participant to the others, as their " +
    "roles say; verbs that say the same both ways are walked both ways. One walk comes to at most 10,000 units over " +
    "20,000 edges and follows the 200 strongest relations of a unit; `truncated` says when something was left out.",
  scope: "memory:read",
  body: TraverseBody,
  response: TraverseReply,
  example: {
    body: {
      startIds: ["0195c1a0-0000-7000-8000-000000000001"],
      verbs: ["supports", "causes"],
      direction: "out",
      depth: 3,
    },
  },
}, (ctx, { body }) => traverse(ctx, body));
