/**
 * How every transaction begins: one statement gives it its settings and a mark by which it can be found.
 *
 * The service sets nothing for a session and knows nothing of a backend: a pooler in transaction mode gives a session
 * to another client with the next transaction, and shows clients a number of its own for it.
 */
import { randomFillSync } from "node:crypto";
import type postgres from "postgres";
import type { ReplicaBound } from "./queries/replica.ts";

/**
 * The mark of a transaction while it lasts: an advisory lock on 64 bits that nobody can guess. Locks on two numbers are
 * separate from those on one, which all other code here takes.
 */
export type Mark = Int32Array;

/** Makes a mark that no other transaction has. */
export function newMark(): Mark {
  return randomFillSync(new Int32Array(2));
}

/**
 * The settings of a transaction on a server; times are in milliseconds. Postgres does not compile expressions just in
 * time, nor divide a statement among processes: the planner decides on both by its estimate of a statement's cost, and
 * compilation or the start of processes takes longer than the service's statements run.
 */
export function settingsOf({ deadlineMs }: { readonly deadlineMs: number }): Readonly<Record<string, string>> {
  return {
    statement_timeout: `${deadlineMs}`,
    idle_in_transaction_session_timeout: `${2 * deadlineMs}`,
    client_connection_check_interval: `${CLIENT_CHECK_MS}`,
    jit: "off",
    max_parallel_workers_per_gather: "0",
  };
}

/**
 * How often, while a statement runs, Postgres checks that the client is still connected, in
 * milliseconds. So the work of a killed process ends soon and releases its locks, even if it waits
 * for a lock.
 */
export const CLIENT_CHECK_MS = 1_000;

/** A statement and its parameters. */
export interface Opening {
  readonly text: string;
  readonly values: readonly (string | number | boolean)[];
}

/** Every transaction on one of several clusters begins by asking the cluster whether it serves this workspace. */
export interface ServedQuestion {
  readonly workspaceId: string;
  readonly writes: boolean;
}

/** How long a read waits until its replica holds what it must, in milliseconds. */
const REPLICA_WAIT_MS = 100;

/** Makes the first statements of transactions. Their common part is in the text. */
export class Openings {
  readonly #constant: readonly string[];

  constructor(settings: Readonly<Record<string, string>> = {}) {
    this.#constant = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', true)`);
  }

  /**
   * @param bound what the server must hold if it is a replica
   * @returns undefined when there is nothing to say
   */
  make(
    settings: readonly (readonly [name: string, value: string])[],
    mark: Mark | undefined,
    served?: ServedQuestion,
    bound?: ReplicaBound,
  ): Opening | undefined {
    const values: (string | number | boolean)[] = [];
    const parts = [...this.#constant];
    for (const [name, value] of settings) parts.push(`set_config('${name}', $${values.push(value)}, true)`);
    if (mark) parts.push(`pg_try_advisory_xact_lock($${values.push(mark[0]!)}, $${values.push(mark[1]!)})`);
    if (bound) {
      const { needed, epoch, beat, reader } = bound;
      const given = [[needed, "pg_lsn"], [epoch, "uuid"], [beat, "bigint"], [reader, "text"], [REPLICA_WAIT_MS, "int"]];
      const list = given.map(([value, type]) => `$${values.push(value!)}::${type}`);
      // Before the next question, which reads a table.
      parts.push(`svc_system.refuse_replica(${list.join(", ")})`);
    }
    if (served) {
      const { workspaceId, writes } = served;
      // After the settings, because one of them bounds how long this function may wait for its lock.
      parts.push(`svc_system.refuse_unserved($${values.push(workspaceId)}::uuid, $${values.push(writes)}::boolean)`);
    }
    return parts.length === 0 ? undefined : { text: `select ${parts.join(", ")}`, values };
  }
}

/**
 * Ends the backend of the transaction with this mark, if it still runs the transaction. One statement finds and ends
 * it, so that it cannot end another transaction that got the same backend in the meantime.
 */
export async function endMarked(sql: postgres.Sql, [first, second]: Mark): Promise<void> {
  await sql`
    select pg_terminate_backend(pid) from pg_locks
     where locktype = 'advisory' and objsubid = 2 and granted
       and classid = ${first! >>> 0} and objid = ${second! >>> 0}
       and database = (select oid from pg_database where datname = current_database())`;
}
