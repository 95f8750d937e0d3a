/** What a workspace does by itself, and what its reviewers decide. */
import type { Mutation } from "./mutation.ts";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "gate of a scheduled consolidation",
    file: "src/domain/governance/schedule.ts",
    defence: '  if (gate.state !== "open") return undefined;\n',
    instead: "",
    test: "tests/http/schedules_test.ts",
    filter: "a workspace that says how often",
  },
  {
    name: "hours between scheduled consolidations",
    file: "src/domain/governance/schedule.ts",
    defence: "tx.now.getTime() - last.getTime() >= everyHours * HOUR_MS",
    instead: "tx.now >= last",
    test: "tests/http/schedules_test.ts",
    filter: "a workspace that says how often",
  },
  {
    name: "schedule that nobody set",
    file: "src/domain/governance/schedule.ts",
    defence: "  if (everyHours === null) return undefined;\n",
    instead: "  if (everyHours === null) return 1;\n",
    test: "tests/http/schedules_test.ts",
    filter: "a workspace that says how often",
  },
  {
    name: "audit row of a scheduled consolidation",
    file: "src/domain/governance/schedule.ts",
    defence: '    tx.audit({ eventType: "consolidation.scheduled", targets: [row.id], detail: { everyHours } });\n',
    instead: "",
    test: "tests/http/schedules_test.ts",
    filter: "a workspace that says how often",
  },
  {
    name: "day's grace of retention",
    file: "src/domain/retention.ts",
    defence: " || from > tx.now) return undefined;",
    instead: ") return undefined;",
    test: "tests/http/schedules_test.ts",
    filter: "restricted data that nobody changes",
  },
  {
    name: "retention of restricted data alone",
    file: "src/db/queries/retention.ts",
    defence:
      "and sensitivity = 'restricted' and updated_at <= ${before}\n        order by updated_at limit ${limit})\n      union all\n      (select id, 'session'",
    instead:
      "and updated_at <= ${before}\n        order by updated_at limit ${limit})\n      union all\n      (select id, 'session'",
    test: "tests/http/schedules_test.ts",
    filter: "restricted data that nobody changes",
  },
  {
    name: "retention takes along what was derived",
    file: "src/domain/retention.ts",
    defence: "(cascade ? purgeUnit : eraseUnit)(ctx",
    instead: "eraseUnit(ctx",
    test: "tests/http/schedules_test.ts",
    filter: "restricted data that nobody changes",
  },
  {
    name: "audit row of retention",
    file: "src/domain/retention.ts",
    defence: `    tx.audit({ eventType: "retention.erased"`,
    instead: `    void ({ eventType: "retention.erased"`,
    test: "tests/http/schedules_test.ts",
    filter: "restricted data that nobody changes",
  },
  {
    name: "title of a session beyond its retention",
    file: "src/domain/retention.ts",
    defence: "    await queries.blankSession(tx, id);\n",
    instead: "",
    test: "tests/http/schedules_test.ts",
    filter: "restricted data that nobody changes",
  },
];
