/** What stored text and feedback may bring about. */
import type { Mutation } from "./mutation.ts";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "citations of known sessions alone",
    file: "src/domain/kinds/facts/claims.ts",
    defence: "  requireCited(cited, body);\n",
    instead: "",
    test: "tests/http/tenancy_test.ts",
    filter: "T7 T6",
  },
  {
    name: "one vote of a key for a chain",
    file: "src/db/queries/reasoning.ts",
    defence: "group by coalesce(given_by, agent_id)) keys`;",
    instead: "group by agent_id) keys`;",
    test: "tests/http/injection_test.ts",
    filter: "T46",
  },
  {
    name: "one vote of a key for a unit's worth",
    file: "src/db/queries/worth.ts",
    defence: "/ greatest(1, sum(s.weight::float8)) as part",
    instead: "/ 1 as part",
    test: "tests/http/injection_test.ts",
    filter: "T46",
  },
  {
    name: "tags and directions told apart",
    file: "src/schema/invisible_text.ts",
    defence: "\\u{e0000}-\\u{e0fff}]/u;",
    instead: "]/u;",
    test: "src/schema/invisible_text_test.ts",
    filter: "T47",
  },
  {
    name: "trust that takes an administrator",
    file: "src/domain/unit/trust.ts",
    defence: `if (attribution === "verified" && !ctx.scopes.has("memory:admin")) {`,
    instead: `if (attribution === "verified" && ctx.scopes.size === 0) {`,
    test: "tests/http/admin_test.ts",
    filter: "T24 no operation",
  },
  {
    name: "trust of what was derived",
    file: "src/domain/unit/trust.ts",
    defence: "return Math.min(TRUST_SCORES[attribution], cap);",
    instead: "return Math.max(TRUST_SCORES[attribution], cap - cap);",
    test: "tests/http/injection_test.ts",
    filter: "T45 a stored order stays data",
  },
  {
    name: "received from a peer cannot be claimed",
    file: "src/domain/unit/trust.ts",
    defence: '  if (attribution === "federation_received") {\n',
    instead: "  if (ctx.scopes.size === 0) {\n",
    test: "tests/http/admin_test.ts",
    filter: "T24 no operation",
  },
  {
    name: "sensitivity above the clearance",
    file: "src/domain/unit/trust.ts",
    defence: "  if (isCleared(sensitivity, ctx.maxSensitivity)) return;\n",
    instead: "  if (sensitivity !== undefined) return;\n",
    test: "tests/http/clearance_test.ts",
    filter: "a key writes nothing above",
  },
];
