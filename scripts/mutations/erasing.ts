/** What is erased is gone. */
import type { Mutation } from "./mutation.ts";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "chains erased with what they rest on",
    file: "src/domain/reasoning/preconditions.ts",
    defence: "  await forgetPrecondition(tx, unitId);\n  await eraseBroken(tx);\n",
    instead: "  await forgetPrecondition(tx, unitId);\n",
    test: "tests/http/injection_test.ts",
    filter: "T45 when a source",
  },
  {
    name: "kept replies of a session erased with it",
    file: "src/domain/sessions/session.ts",
    defence: "  await eraseReplies(tx, id);\n",
    instead: "",
    test: "tests/http/injection_test.ts",
    filter: "T45 when a source",
  },
  {
    name: "erased ids",
    file: "src/domain/units.ts",
    defence: "  if (await deletionLog.isErased(tx, type, id)) {\n",
    instead: '  if (id === "") {\n',
    test: "tests/http/facts_test.ts",
    filter: "an erased id is 410",
  },
  {
    name: "clearance of what was erased",
    file: "src/db/queries/deletion_log.ts",
    defence: "       and sensitivity <= ${tx.maxSensitivity}::sensitivity`;",
    instead: "`;",
    test: "tests/http/facts_test.ts",
    filter: "who was not cleared for a fact",
  },
  {
    name: "whole history of what is erased",
    file: "src/domain/erase.ts",
    defence: "  if (versions !== await revisions.countAllRevisions(tx, unit.id)) {\n",
    instead: "  if (versions < 0) {\n",
    test: "tests/http/facts_test.ts",
    filter: "erasing needs clearance",
  },
  {
    name: "kept replies of a unit erased with it",
    file: "src/domain/erase.ts",
    defence: "  await eraseReplies(tx, unit.id);\n",
    instead: "",
    test: "tests/http/idempotency_test.ts",
    filter: "T59 erasing takes",
  },
  {
    name: "review of an erased unit",
    file: "src/domain/erase.ts",
    defence: "const reviewed = await reviewItems.deleteReviewItems(tx, unit.id);",
    instead: "const reviewed = await reviewItems.deleteReviewItems(tx, crypto.randomUUID());",
    test: "tests/http/facts_test.ts",
    filter: "an erased fact leaves nothing",
  },
  {
    name: "relations of an erased unit",
    file: "src/domain/erase.ts",
    defence: "const related = await relations.deleteRelationsOf(tx, unit.id);",
    instead: "const related = await relations.deleteRelationsOf(tx, crypto.randomUUID());",
    test: "tests/http/relations_test.ts",
    filter: "when an end is erased",
  },
];
