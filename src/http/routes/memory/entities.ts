/** `/v1/memory/entities` */
import * as entities from "../../../operations/entities.ts";
import * as graph from "../../../operations/graph.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "Entities",
  section: "Knowledge",
  description: "People, places and things, found or created by name; their graph, edges and drawers.",
};

export const createEntity = route("post", "/memory/entities", entities.createEntity);
export const createEntities = route("post", "/memory/entities/batch", entities.createEntities);
export const listEntities = route("get", "/memory/entities", entities.listEntities);
export const getEntity = route("get", "/memory/entities/{id}", entities.getEntity);
export const updateEntity = route("patch", "/memory/entities/{id}", entities.updateEntity);
export const archiveEntity = route("delete", "/memory/entities/{id}", entities.archiveEntity);
export const mergeEntities = route("post", "/memory/entities/{id}/merge", entities.mergeEntities);
export const unmergeEntities = route("post", "/memory/entities/{id}/unmerge", entities.unmergeEntities);
export const fileEntity = route("put", "/memory/entities/{id}/drawers/{drawer}", entities.fileEntity);
export const unfileEntity = route("delete", "/memory/entities/{id}/drawers/{drawer}", entities.unfileEntity);
export const forgetEntity = route("post", "/memory/entities/{id}/forget", entities.forgetEntity);
export const restoreEntity = route("post", "/memory/entities/{id}/restore", entities.restoreEntity);
export const listEntityRevisions = route("get", "/memory/entities/{id}/revisions", entities.listEntityRevisions);
export const listEntityEdges = route("get", "/memory/entities/{id}/edges", graph.listEntityEdges);
export const getEntityGraph = route("get", "/memory/entities/{id}/graph", graph.getEntityGraph);
