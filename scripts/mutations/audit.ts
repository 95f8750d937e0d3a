/** What is done is told, and what was told stays. */
import type { Mutation } from "./mutation.ts";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "audit row in the write's transaction",
    file: "src/db/scope.ts",
    defence: "        if (head) await asAudit(writeAudit(tx, head, entries));\n",
    instead: "",
    test: "tests/http/audit_test.ts",
    filter: "T66",
  },
  {
    name: "append-only audit log",
    file: "migrations/0021_audit.sql",
    defence: "raise exception 'the audit log is append-only' using errcode = '42501';",
    instead: "return new;",
    test: "tests/http/audit_test.ts",
    filter: "T65 nobody changes",
  },
  {
    name: "commitment to an address",
    file: "src/domain/audit/verify.ts",
    defence: " || !isCommittedTo(record, address)",
    instead: "",
    test: "tests/http/audit_tampering_test.ts",
    filter: "T65 an address",
  },
  {
    name: "audit row of a vote",
    file: "src/domain/governance/worths.ts",
    defence: "    tx.audit({ eventType: `write.${ctx.operationId}`, targets: ids, detail: { agentId } });\n",
    instead: "",
    test: "tests/http/audit_test.ts",
    filter: "T66",
  },
  {
    name: "room for the audit rows of reads",
    file: "src/edge/admit.ts",
    defence: '  if (access !== "public") deps.audit.requireRoom();\n',
    instead: "",
    test: "tests/http/audit_test.ts",
    filter: "T66",
  },
  {
    name: "room for the audit rows of a stream",
    file: "src/domain/feed/watch.ts",
    defence: "  stream.deps.audit.requireRoom();\n",
    instead: "",
    test: "tests/http/audit_test.ts",
    filter: "T66",
  },
];
