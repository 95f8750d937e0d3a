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
];
