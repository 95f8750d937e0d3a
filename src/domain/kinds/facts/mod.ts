/** Facts: what callers know how to do with them. The rules are in `facts/`. Decisions §3, §6. */
export { prepareFacts } from "./claims.ts";
export type { PreparedFact } from "./claims.ts";
export { createFact, createFacts, toWrittenFact } from "./create.ts";
export { toFact } from "./fields.ts";
export type { FactBody, FactRow } from "./fields.ts";
export { archiveFact, expireDueFacts, forgetFact, pinFact, restoreFact } from "./lifecycle.ts";
export { getFact, getFactHistory, listFactCitations, listFactRevisions, listFacts } from "./read.ts";
export { listWorkspacesToRefold, refoldFacts, refoldVersions } from "./refold.ts";
export { updateFact } from "./update.ts";
export { writeFacts } from "./write.ts";
export type { Outcome, Written } from "./write.ts";
