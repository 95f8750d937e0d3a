/** Entities, version 2: the same capability as `/v1/memory/entities`. Interface §2.1, decisions §6 "entities". */
import { entityEdgesEndpoint, entityGraphEndpoint } from "../graph_endpoints.ts";
import * as face from "../entity_endpoints.ts";
import * as lasting from "../entity_lifecycle_endpoints.ts";

const ENTITIES = { path: "/entities", suffix: "V2" } as const;

export const createEntityV2 = face.createEndpoint(ENTITIES);
export const createEntitiesV2 = face.createBatchEndpoint(ENTITIES);
export const listEntitiesV2 = face.listEndpoint(ENTITIES);
export const getEntityV2 = face.getEndpoint(ENTITIES);
export const updateEntityV2 = face.updateEndpoint(ENTITIES);
export const archiveEntityV2 = face.archiveEndpoint(ENTITIES);
export const mergeEntitiesV2 = face.mergeEndpoint(ENTITIES);
export const unmergeEntitiesV2 = face.unmergeEndpoint(ENTITIES);
export const fileEntityV2 = face.fileEndpoint(ENTITIES);
export const unfileEntityV2 = face.unfileEndpoint(ENTITIES);
export const forgetEntityV2 = lasting.forgetEndpoint(ENTITIES);
export const restoreEntityV2 = lasting.restoreEndpoint(ENTITIES);
export const listEntityEdgesV2 = entityEdgesEndpoint(ENTITIES);
export const getEntityGraphV2 = entityGraphEndpoint(ENTITIES);
