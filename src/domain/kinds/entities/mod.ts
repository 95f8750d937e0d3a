/** Entities: what callers know how to do with them. The rules are in `entities/`. */
export { findOrCreateBatch, findOrCreateEntity } from "./create.ts";
export { fileEntity } from "./drawers.ts";
export { findOrCreateEntities, prepareEntities } from "./find_or_create.ts";
export type { FindOptions, FindOutcome, FoundRow, PreparedEntity } from "./find_or_create.ts";
export { ENTITIES, toEntity } from "./kind.ts";
export type { EntityBody, EntityRow } from "./kind.ts";
export { forgetEntity, restoreEntity } from "./lifecycle.ts";
export { applyMerge, lockMerges, mergeEntities } from "./merge.ts";
export { archiveEntity, getEntity, listEntities, requireEntity, updateEntity } from "./read.ts";
export { expandEntities, findEntitiesByName, resolveEntities } from "./resolve.ts";
export type { NamedBy } from "./resolve.ts";
export { showEntities } from "./sight.ts";
export { applyUnmerge, unmergeEntities } from "./unmerge.ts";
