/** Workspaces, clearances and regions are kept apart. */
import type { Mutation } from "./mutation.ts";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "workspace in the statement",
    file: "src/db/queries/units.ts",
    defence: "where u.workspace_id = ${tx.workspaceId} and u.id = any(${ids as string[]}::uuid[])",
    instead: "where u.id = any(${ids as string[]}::uuid[])",
    test: "tests/http/tenancy_ids_test.ts",
    filter: "T1 with the row-level policies switched off",
  },
  {
    name: "workspace in the row-level policy",
    file: "migrations/0003_knowledge.sql",
    defence:
      `         using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))`,
    instead: `         using (sensitivity <= (select current_clearance()))`,
    test: "tests/db/rls_matrix_test.ts",
    filter: "T1 requests reach",
  },
  {
    name: "clearance in the row-level policy",
    file: "migrations/0003_knowledge.sql",
    defence:
      `         using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))`,
    instead: `         using (workspace_id = (select current_workspace()))`,
    test: "tests/db/rls_matrix_test.ts",
    filter: "requests reach rows up to their clearance",
  },
  {
    name: "region lock",
    file: "src/domain/credentials.ts",
    defence: "if (config.region === undefined || region === null || config.region === region) return;",
    instead: "if (Date.now() > 0) return;",
    test: "tests/http/tenancy_test.ts",
    filter: "T23",
  },
  {
    name: "row-level security looked at before the start",
    file: "src/db/boot.ts",
    defence: "if (unguarded.length > 0) throw",
    instead: "if (unguarded.length < 0) throw",
    test: "tests/db/boot_test.ts",
    filter: "T4",
  },
  {
    name: "region of the loops",
    file: "src/workers/mod.ts",
    defence: "served === undefined || region === served)",
    instead: "served === undefined || region !== undefined)",
    test: "tests/http/regions_test.ts",
    filter: "T12 the loops",
  },
];
