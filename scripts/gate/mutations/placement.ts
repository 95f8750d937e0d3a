/** What holds when workspaces are on several clusters and move between them. */
import type { Mutation } from "./mutation.ts";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "writers ask whether the cluster serves the workspace",
    file: "src/db/opening.ts",
    defence: "    if (served) {\n",
    instead: "    if (served && !served.writes) {\n",
    test: "tests/clusters/move_test.ts",
    filter: "a workspace that is written to moves",
  },
  {
    name: "a move copies what has changed since",
    file: "src/db/move_tables.ts",
    defence: " and age(t.xmin) <= age($2::xid8::xid)",
    instead: " and $2::xid8 is null",
    test: "tests/clusters/move_test.ts",
    filter: "what is deleted and what changes keys",
  },
  {
    name: "a move deletes what the source has deleted",
    file: "src/db/move_tables.ts",
    defence: "      if (there !== here - rows) await deleteOthers(from, into, workspaceId, table, there);\n",
    instead: "      if (there < 0) await deleteOthers(from, into, workspaceId, table, here);\n",
    test: "tests/clusters/move_test.ts",
    filter: "what is deleted and what changes keys",
  },
  {
    name: "sequences go on beyond those of the source",
    file: "src/db/move_copy.ts",
    defence: "      await carrySequences(ends);\n",
    instead: "      void carrySequences;\n",
    test: "tests/clusters/move_test.ts",
    filter: "what is deleted and what changes keys",
  },
  {
    name: "a database that is another cluster is refused",
    file: "src/app.ts",
    defence: "      await checkIdentity(db, clusters && HOME);\n",
    instead: "",
    test: "tests/clusters/placement_test.ts",
    filter: "a process that takes one cluster for another",
  },
  {
    name: "the chain of the service is on home",
    file: "src/db/clusters.ts",
    defence: "          if (await this.clusterOf(chain) === name) {\n",
    instead: "          if (chain !== name) {\n",
    test: "tests/clusters/placement_test.ts",
    filter: "a workspace that is placed on another cluster",
  },
];
