/** Knowledge units of any kind but facts: what callers know how to do with them. The rules are in `knowledge/`. */
export { createUnit, createUnits, draftUnit, insertUnit, prepareBody, prepareUnit } from "./knowledge/create.ts";
export type { PreparedUnit } from "./knowledge/create.ts";
export { commonMembers, labelled, saidColumns, textsOf, toIso, toUnit } from "./knowledge/kind.ts";
export type { AnyKind, KindPatch, UnitKind } from "./knowledge/kind.ts";
export { archiveUnit, forgetUnit, restoreUnit } from "./knowledge/lifecycle.ts";
export type { Forgotten } from "./knowledge/lifecycle.ts";
export { getUnit, listUnits } from "./knowledge/read.ts";
export { listUnitRevisions } from "./knowledge/revisions.ts";
export { applyUnitUpdate, requireVerifier, updateUnit } from "./knowledge/update.ts";
