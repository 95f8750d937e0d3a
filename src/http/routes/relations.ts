/** `/v1/relations` */
import * as relations from "../../operations/relations.ts";
import { alias } from "../route.ts";

export { GROUP } from "./memory/relations.ts";

export const createRelationV2 = alias("post", "/relations", relations.createRelation);
export const createRelationsV2 = alias("post", "/relations/batch", relations.createRelations);
export const listRelationsV2 = alias("get", "/relations", relations.listRelations);
export const listRelationVerbsV2 = alias("get", "/relations/verbs", relations.listRelationVerbs);
export const getRelationV2 = alias("get", "/relations/{id}", relations.getRelation);
export const updateRelationV2 = alias("patch", "/relations/{id}", relations.updateRelation);
export const archiveRelationV2 = alias("delete", "/relations/{id}", relations.archiveRelation);
