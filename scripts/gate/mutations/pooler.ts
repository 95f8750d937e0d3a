/** What holds behind a pooler that lends sessions out. */
import type { Mutation } from "./mutation.ts";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "late transaction found by its mark",
    file: "src/db/opening.ts",
    defence: "       and classid = ${first! >>> 0} and objid = ${second! >>> 0}\n",
    instead: "       and ${first! >>> 0}::oid is not null and ${second! >>> 0}::oid is not null\n",
    test: "tests/db/pooler_test.ts",
    filter: "F6 behind a pooler",
  },
  {
    name: "settings of a transaction alone",
    file: "src/db/opening.ts",
    defence: "`set_config('${name}', '${value}', true)`",
    instead: "`set_config('${name}', '${value}', false)`",
    test: "tests/db/pooler_test.ts",
    filter: "T2 nothing of a transaction",
  },
  {
    name: "statement lost with its session",
    file: "src/db/database.ts",
    defence: "        if (isLostStatement(error)) this.#pool.useUnnamedStatements();\n",
    instead: "",
    test: "tests/db/pooler_test.ts",
    filter: "a statement that was prepared",
  },
  {
    name: "no listening through a pooler",
    file: "src/db/boot.ts",
    defence: "  if (sessions.areShared && direct === undefined) {",
    instead: "  if (!sessions.areShared && sessions.areShared && direct === undefined) {",
    test: "tests/db/boot_test.ts",
    filter: "behind a pooler",
  },
  {
    name: "gap while deaf",
    file: "src/db/notifications.ts",
    defence: "      this.#isHearing = false;\n      this.#options.onGap();\n",
    instead: "      this.#isHearing = false;\n",
    test: "tests/fault/listener_test.ts",
    filter: "T15 a service that is cut off",
  },
];
