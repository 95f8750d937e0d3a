/** Relations between knowledge units: what callers know how to do with them. The rules are in `relations/`. */
export { createRelation, createRelations } from "./relations/create.ts";
export { toRelation } from "./relations/fields.ts";
export { getRelation, listRelations, listVerbs } from "./relations/read.ts";
export { applyRelationUpdate, archiveRelation, putRelationAway, updateRelation } from "./relations/update.ts";
export { prepareRelations, writeRelations } from "./relations/write.ts";
export type { PreparedRelation, Refused, Related } from "./relations/write.ts";
export { listEdges } from "../db/queries/edges.ts";
export type { EdgeFilter, EdgeRow } from "../db/queries/edges.ts";
export { findSurvivors } from "../db/queries/relations.ts";
export { findRelations } from "../db/queries/relations.ts";
