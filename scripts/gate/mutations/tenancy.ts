/** Workspaces, clearances and regions are kept apart. */
import type { Mutation } from "./mutation.ts";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "each service has its own memory",
    file: "src/domain/common/per_service.ts",
    defence: "  return (deps) => {\n    const known = made.get(deps);",
    instead: "  const all = {} as Deps;\n  return (own) => {\n    if (!made.has(all)) made.set(all, create(own));\n" +
      "    const deps = all;\n    const known = made.get(deps);",
    test: "tests/two_services_test.ts",
    filter: "two services in one process share nothing",
  },
  {
    name: "what a capability keeps is disposed of at the stop",
    file: "src/domain/common/per_service.ts",
    defence: "    if (isDisposable(value)) deps.disposeAtStop(value);\n",
    instead: "    void isDisposable;\n",
    test: "tests/two_services_test.ts",
    filter: "two services in one process share nothing",
  },
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
    file: "src/domain/access/credentials.ts",
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
    defence: "    served === undefined || region === served\n",
    instead: "    served === undefined || region !== undefined\n",
    test: "tests/http/regions_test.ts",
    filter: "T12 the loops",
  },
  {
    name: "clearance of tasks",
    file: "migrations/0009_tasks.sql",
    defence:
      "create policy task_own on task to svc_app\n  using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))\n  with",
    instead: "create policy task_own on task to svc_app\n  using (workspace_id = (select current_workspace()))\n  with",
    test: "tests/db/rls_matrix_test.ts",
    filter: "requests reach rows up to their clearance",
  },
  {
    name: "clearance of events",
    file: "migrations/0009_tasks.sql",
    defence:
      "create policy event_own on event to svc_app\n  using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))\n  with",
    instead:
      "create policy event_own on event to svc_app\n  using (workspace_id = (select current_workspace()))\n  with",
    test: "tests/db/rls_matrix_test.ts",
    filter: "requests reach rows up to their clearance",
  },
  {
    name: "clearance of relations",
    file: "migrations/0011_relations.sql",
    defence:
      "         using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))\n",
    instead: "         using (workspace_id = (select current_workspace()))\n",
    test: "tests/db/rls_matrix_test.ts",
    filter: "requests reach rows up to their clearance",
  },
  {
    name: "clearance of reasoning",
    file: "migrations/0014_reasoning.sql",
    defence:
      "         using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))\n",
    instead: "         using (workspace_id = (select current_workspace()))\n",
    test: "tests/db/rls_matrix_test.ts",
    filter: "requests reach rows up to their clearance",
  },
  {
    name: "clearance of playbooks",
    file: "migrations/0015_procedural.sql",
    defence:
      "         using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))\n",
    instead: "         using (workspace_id = (select current_workspace()))\n",
    test: "tests/db/rls_matrix_test.ts",
    filter: "requests reach rows up to their clearance",
  },
  {
    name: "superuser refused at the start",
    file: "src/db/boot.ts",
    defence: '    found.superuser && "is a superuser",\n',
    instead: "",
    test: "tests/db/boot_test.ts",
    filter: "T5 the service refuses roles",
  },
  {
    name: "schema of another build",
    file: "src/db/migrations.ts",
    defence: "    if (!known.has(name)) {\n",
    instead: '    if (name === "") {\n',
    test: "tests/db/boot_test.ts",
    filter: "the service refuses a schema",
  },
  {
    name: "lock of a migration",
    file: "src/db/migrations.ts",
    defence: "    `select pg_advisory_xact_lock(${LOCK_KEY});\\n`;",
    instead: '    "";',
    test: "tests/db/migrations_test.ts",
    filter: "F16 four processes",
  },
  {
    name: "workspace for the transaction alone",
    file: "src/db/opening.ts",
    defence: "parts.push(`set_config('${name}', $${values.push(value)}, true)`);",
    instead: "parts.push(`set_config('${name}', $${values.push(value)}, false)`);",
    test: "tests/db/dead_backend_test.ts",
    filter: "T2 a setting",
  },
  {
    name: "nothing after a lost backend",
    file: "src/db/database.ts",
    defence: "          if (state.lost) await never();\n",
    instead: "",
    test: "tests/db/dead_backend_test.ts",
    filter: "F1 a callback that swallows",
  },
  {
    name: "list of a cursor",
    file: "src/domain/common/cursor.ts",
    defence: "parts[0] === list && ",
    instead: "",
    test: "src/domain/common/cursor_test.ts",
    filter: "a cursor of another list",
  },
  {
    name: "key of a cursor",
    file: "src/domain/common/cursor.ts",
    defence: " && isKey(parts[2])",
    instead: "",
    test: "src/domain/common/cursor_test.ts",
    filter: "a cursor of another list",
  },
];
