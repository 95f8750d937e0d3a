/** Exports and imports. */
import type { Mutation } from "./mutation.ts";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "the end of an import",
    file: "src/domain/transfer/file.ts",
    defence: "    if (allowsPartial) return",
    instead: "    if (!allowsPartial) return",
    test: "tests/http/transfer_test.ts",
    filter: "T61",
  },
  {
    name: "an export that breaks off",
    file: "src/http/transfer_endpoints.ts",
    defence: "        controller.error(error);\n",
    instead: "        controller.close();\n",
    test: "tests/fault/export_test.ts",
    filter: "T61",
  },
];
