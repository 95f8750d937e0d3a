/** Relations between knowledge units: what callers know how to do with them. The rules are in `relations/`. */
export { createRelation, createRelations } from "./create.ts";
export { toRelation } from "../unit/relation_fields.ts";
export { getRelation, listRelations, listVerbs } from "./read.ts";
export { applyRelationUpdate, archiveRelation, putRelationAway, updateRelation } from "./update.ts";
export { prepareRelations, writeRelations } from "./write.ts";
export type { PreparedRelation, Refused, Related } from "./write.ts";
export { listEdges } from "../../db/queries/edges.ts";
export type { EdgeFilter, EdgeRow } from "../../db/queries/edges.ts";
export { findSurvivors } from "../../db/queries/relations.ts";
export { findRelations } from "../../db/queries/relations.ts";
