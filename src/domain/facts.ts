/** Facts: what callers know how to do with them. The rules are in `facts/`. Decisions §3, §6. */
export { prepareFacts } from "./facts/claims.ts";
export type { PreparedFact } from "./facts/claims.ts";
export { createFact, createFacts, toWrittenFact } from "./facts/create.ts";
export { toFact } from "./facts/fields.ts";
export type { FactBody, FactRow } from "./facts/fields.ts";
export { archiveFact, expireDueFacts, forgetFact, pinFact, restoreFact } from "./facts/lifecycle.ts";
export { getFact, getFactHistory, listFactCitations, listFactRevisions, listFacts } from "./facts/read.ts";
export { updateFact } from "./facts/update.ts";
export { writeFacts } from "./facts/write.ts";
export type { Outcome, Written } from "./facts/write.ts";
