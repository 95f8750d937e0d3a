/** Relations, version 2. Decisions §3 "Relation", §6 "relations". */
import {
  archiveRelationEndpoint,
  createRelationEndpoint,
  createRelationsEndpoint,
  getRelationEndpoint,
  listRelationsEndpoint,
  listRelationVerbsEndpoint,
  type RelationFace,
  updateRelationEndpoint,
} from "../relation_endpoints.ts";

const face: RelationFace = { path: "/relations", suffix: "V2" };

export const createRelationV2 = createRelationEndpoint(face);
export const createRelationsV2 = createRelationsEndpoint(face);
export const listRelationsV2 = listRelationsEndpoint(face);
export const listRelationVerbsV2 = listRelationVerbsEndpoint(face);
export const getRelationV2 = getRelationEndpoint(face);
export const updateRelationV2 = updateRelationEndpoint(face);
export const archiveRelationV2 = archiveRelationEndpoint(face);
