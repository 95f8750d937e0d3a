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
];
