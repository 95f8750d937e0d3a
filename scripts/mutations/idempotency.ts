/** A write with an Idempotency-Key has one effect and one reply. */
import type { Mutation } from "./mutation.ts";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "lock of an Idempotency-Key",
    file: "src/domain/idempotency.ts",
    defence: "    if (!await replies.tryLockReply(tx, request)) throw inProgress();\n",
    instead: "",
    test: "tests/http/idempotency_test.ts",
    filter: "T59 two processes",
  },
  {
    name: "kept reply in the write's transaction",
    file: "src/domain/idempotency.ts",
    defence: "options?.readOnly && !held.isOpen ? ctx.tx(work, options) : held.run(work, options)",
    instead: "ctx.tx(work, options)",
    test: "tests/http/idempotency_test.ts",
    filter: "T59 F12",
  },
];
