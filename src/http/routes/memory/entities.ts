/** Entities, version 3: canonical things, found by name. Interface §4.4, decisions §6 "entities". */
import { entityEdgesEndpoint, entityGraphEndpoint } from "../../graph_endpoints.ts";
import * as face from "../../entity_endpoints.ts";
import * as lasting from "../../entity_lifecycle_endpoints.ts";

const ENTITIES = { path: "/memory/entities", suffix: "" } as const;

export const createEntity = face.createEndpoint(ENTITIES);
export const createEntities = face.createBatchEndpoint(ENTITIES);
export const listEntities = face.listEndpoint(ENTITIES);
export const getEntity = face.getEndpoint(ENTITIES);
export const updateEntity = face.updateEndpoint(ENTITIES);
export const archiveEntity = face.archiveEndpoint(ENTITIES);
export const mergeEntities = face.mergeEndpoint(ENTITIES);
export const unmergeEntities = face.unmergeEndpoint(ENTITIES);
export const fileEntity = face.fileEndpoint(ENTITIES);
export const unfileEntity = face.unfileEndpoint(ENTITIES);
export const forgetEntity = lasting.forgetEndpoint(ENTITIES);
export const restoreEntity = lasting.restoreEndpoint(ENTITIES);
export const listEntityRevisions = lasting.revisionsEndpoint(ENTITIES);
export const listEntityEdges = entityEdgesEndpoint(ENTITIES);
export const getEntityGraph = entityGraphEndpoint(ENTITIES);
