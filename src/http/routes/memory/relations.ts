/** `/v1/memory/relations` */
import * as graph from "../../../operations/graph.ts";
import * as relations from "../../../operations/relations.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "Relations",
  section: "Knowledge",
  description: "Nine verbs between units, hyperedges, and traversal.",
};

export const createRelation = route("post", "/memory/relations", relations.createRelation);
export const createRelations = route("post", "/memory/relations/batch", relations.createRelations);
export const listRelations = route("get", "/memory/relations", relations.listRelations);
export const listRelationVerbs = route("get", "/memory/relations/verbs", relations.listRelationVerbs);
export const getRelation = route("get", "/memory/relations/{id}", relations.getRelation);
export const updateRelation = route("patch", "/memory/relations/{id}", relations.updateRelation);
export const archiveRelation = route("delete", "/memory/relations/{id}", relations.archiveRelation);
export const traverseRelations = route("post", "/memory/relations/traverse", graph.traverseRelations);
