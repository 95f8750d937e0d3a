/** Entities: what callers know how to do with them. The rules are in `entities/`. */
export { findOrCreateBatch, findOrCreateEntity } from "./entities/create.ts";
export { fileEntity } from "./entities/drawers.ts";
export { findOrCreateEntities, prepareEntities } from "./entities/find_or_create.ts";
export type { FindOptions, FindOutcome, FoundRow, PreparedEntity } from "./entities/find_or_create.ts";
export { ENTITIES, toEntity } from "./entities/kind.ts";
export type { EntityBody, EntityRow } from "./entities/kind.ts";
export { forgetEntity, restoreEntity } from "./entities/lifecycle.ts";
export { applyMerge, lockMerges, mergeEntities } from "./entities/merge.ts";
export { archiveEntity, getEntity, listEntities, requireEntity, updateEntity } from "./entities/read.ts";
export { expandEntities, findEntitiesByName, resolveEntities } from "./entities/resolve.ts";
export type { NamedBy } from "./entities/resolve.ts";
export { showEntities } from "./entities/sight.ts";
export { applyUnmerge, unmergeEntities } from "./entities/unmerge.ts";
