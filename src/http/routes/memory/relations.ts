/** Relations, version 3. Decisions §3 "Relation", §6 "relations". */
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
