/** `/v1/entities` */
import * as entities from "../../operations/entities.ts";
import * as graph from "../../operations/graph.ts";
import { alias } from "../route.ts";

export { GROUP } from "./memory/entities.ts";

export const createEntityV2 = alias("post", "/entities", entities.createEntity);
export const createEntitiesV2 = alias("post", "/entities/batch", entities.createEntities);
export const listEntitiesV2 = alias("get", "/entities", entities.listEntities);
export const getEntityV2 = alias("get", "/entities/{id}", entities.getEntity);
export const updateEntityV2 = alias("patch", "/entities/{id}", entities.updateEntity);
export const archiveEntityV2 = alias("delete", "/entities/{id}", entities.archiveEntity);
export const mergeEntitiesV2 = alias("post", "/entities/{id}/merge", entities.mergeEntities);
export const unmergeEntitiesV2 = alias("post", "/entities/{id}/unmerge", entities.unmergeEntities);
export const fileEntityV2 = alias("put", "/entities/{id}/drawers/{drawer}", entities.fileEntity);
export const unfileEntityV2 = alias("delete", "/entities/{id}/drawers/{drawer}", entities.unfileEntity);
export const forgetEntityV2 = alias("post", "/entities/{id}/forget", entities.forgetEntity);
export const restoreEntityV2 = alias("post", "/entities/{id}/restore", entities.restoreEntity);
export const listEntityEdgesV2 = alias("get", "/entities/{id}/edges", graph.listEntityEdges);
export const getEntityGraphV2 = alias("get", "/entities/{id}/graph", graph.getEntityGraph);
