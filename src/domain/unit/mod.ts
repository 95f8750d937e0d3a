/** Knowledge units of any kind but facts: what callers know how to do with them. The rules are in `knowledge/`. */
export { createUnit, createUnits, draftUnit, insertUnit, prepareBody, prepareUnit } from "./create.ts";
export type { PreparedUnit } from "./create.ts";
export { commonMembers, labelled, saidColumns, textsOf, toIso, toUnit } from "./kind.ts";
export type { AnyKind, KindPatch, UnitKind } from "./kind.ts";
export { archiveUnit, forgetUnit, restoreUnit } from "./lifecycle.ts";
export type { Forgotten } from "./lifecycle.ts";
export { getUnit, listUnits } from "./read.ts";
export { listUnitRevisions } from "./revisions.ts";
export { applyUnitUpdate, requireVerifier, updateUnit } from "./update.ts";
