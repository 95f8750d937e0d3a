/** What a request may say. */
import type { Mutation } from "./mutation.ts";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "refusal of NUL",
    file: "src/schema/json_text.ts",
    defence: `if (value.includes("\\u0000")) return`,
    instead: "if (value === undefined) return",
    test: "src/schema/json_text_test.ts",
    filter: "",
  },
  {
    name: "unknown members of a body",
    file: "src/schema/admin_key.ts",
    defence: "export const UpdateApiKeyBody = z.strictObject({",
    instead: "export const UpdateApiKeyBody = z.object({",
    test: "tests/http/admin_test.ts",
    filter: "T24 what only",
  },
  {
    name: "number of faults that a reply tells",
    file: "src/schema/faults.ts",
    defence: "return this.#told.size >= FAULTS_MAX;",
    instead: "return FAULTS_MAX === 0;",
    test: "src/schema/field_errors_test.ts",
    filter: "T52",
  },
  {
    name: "number of members of one JSON object",
    file: "src/schema/json_text.ts",
    defence: "if (++members[depth]! > membersOfOneMax)",
    instead: "if (membersOfOneMax === 0)",
    test: "src/schema/json_text_test.ts",
    filter: "T52",
  },
  {
    name: "number of members of all JSON objects",
    file: "src/schema/json_text.ts",
    defence: "if (++colons > membersMax)",
    instead: "if (++colons < 0)",
    test: "src/schema/json_text_test.ts",
    filter: "T52",
  },
  {
    name: "number of values of a JSON text",
    file: "src/schema/json_text.ts",
    defence: `    } else if (code === COMMA) {
      if (++values > valuesMax)`,
    instead: `    } else if (code === COMMA) {
      if (++values < 0)`,
    test: "src/schema/json_text_test.ts",
    filter: "T52",
  },
  {
    name: "number of query parameters",
    file: "src/edge/query_limits.ts",
    defence: "if (++count > QUERY_PARAMETERS_MAX) {",
    instead: "if (++count < 0) {",
    test: "src/edge/query_limits_test.ts",
    filter: "",
  },
  {
    name: "length of a query",
    file: "src/edge/query_limits.ts",
    defence: "if (url.length - start - 1 > QUERY_CHARS_MAX) {",
    instead: "if (url.length < 0) {",
    test: "src/edge/query_limits_test.ts",
    filter: "",
  },
];
