/** What holds when reads go to a streaming replica. */
import type { Mutation } from "./mutation.ts";

const TEST = "tests/replica/replica_test.ts";
const FOREIGN = "tests/replica/foreign_test.ts";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "a replica is asked whether it has come far enough",
    file: "src/db/opening.ts",
    defence: "    if (bound) {\n",
    instead: "    if (bound && bound.beat === undefined) {\n",
    test: TEST,
    filter: "a replica that is behind is not read",
  },
  {
    name: "a replica is behind until it has replayed what the primary has written",
    file: "migrations/0115_replica_mark.sql",
    defence: "      if pg_last_wal_replay_lsn() >= p_needed then\n        select",
    instead: "      if p_needed is not null then\n        select",
    test: TEST,
    filter: "a replica that is behind is not read",
  },
  {
    name: "a replica that is not used keeps nobody from being ready",
    file: "src/domain/upkeep/health.ts",
    defence: 'const SHOWN_ONLY = ["vectorIndex", "replica"];',
    instead: 'const SHOWN_ONLY = ["vectorIndex"];',
    test: TEST,
    filter: "a replica that is behind is not read",
  },
  {
    name: "a promoted server is no replica",
    file: "migrations/0115_replica_mark.sql",
    defence: "      if not pg_is_in_recovery() then\n",
    instead: "      if false then\n",
    test: TEST,
    filter: "a replica that was promoted",
  },
  {
    name: "a replica shows the beat of its primary",
    file: "migrations/0115_replica_mark.sql",
    defence: " and v_mark.beat >= p_beat then",
    instead: " then",
    test: TEST,
    filter: "a replica that was promoted",
  },
  {
    name: "a replica shows the history of its primary",
    file: "migrations/0115_replica_mark.sql",
    defence: " and v_mark.epoch = p_epoch and",
    instead: " and",
    test: FOREIGN,
    filter: "a standby of another primary",
  },
  {
    name: "a promoted primary begins a history of its own",
    file: "migrations/0115_replica_mark.sql",
    defence: "        set epoch = case when m.timeline = excluded.timeline then m.epoch else excluded.epoch end,\n",
    instead: "        set epoch = m.epoch,\n",
    test: FOREIGN,
    filter: "after a failover a standby",
  },
  {
    name: "a replica is asked whether its cluster serves the workspace",
    file: "src/db/replicated_database.ts",
    defence: "  return { ...options, connection };\n",
    instead: "  return { ...options, connection, cluster: undefined as never };\n",
    test: FOREIGN,
    filter: "the replica of a cluster",
  },
  {
    name: "a replica is read by the role that the boot looked at",
    file: "migrations/0115_replica_mark.sql",
    defence: "      if format('%s in %s', session_user, current_database()) <> p_reader then\n",
    instead: "      if false then\n",
    test: TEST,
    filter: "T5 row-level security holds on the replica",
  },
  {
    name: "what the replica cancels runs on the primary",
    file: "src/db/replicated_database.ts",
    defence: '      if (outcome === "conflict" || outcome === "failed") leave({ kind: "unknown" });\n',
    instead:
      '      if (outcome === "conflict") throw error;\n      if (outcome === "failed") leave({ kind: "unknown" });\n',
    test: TEST,
    filter: "a read that the replica cancels",
  },
  {
    name: "a replica that does not answer is not waited for",
    file: "src/db/attempt.ts",
    defence: "  const beginning = options.bound && setTimeout(expire, REPLICA_BEGUN_MS);\n",
    instead: "  const beginning = options.bound && setTimeout(expire, 1_000 * REPLICA_BEGUN_MS);\n",
    test: TEST,
    filter: "a replica that swallows everything",
  },
  {
    name: "nobody gets an answer from before he came",
    file: "src/db/shared_question.ts",
    defence: "      this.#next = undefined;\n",
    instead: "",
    test: "src/db/shared_question_test.ts",
    filter: "nobody gets the answer",
  },
];
