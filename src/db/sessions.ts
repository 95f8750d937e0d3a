/** Finds out whether a connection has a session of its own, or a pooler lends it one per transaction. */
import postgres from "postgres";
import { noteEnded } from "./hosts.ts";
import type { PostgresOptions } from "./pool.ts";

export interface Sessions {
  /**
   * A pooler in transaction mode is in use: settings, prepared statements and LISTENs of one transaction are lost in
   * the next.
   */
  readonly areShared: boolean;
  /**
   * A prepared statement exists whenever it is used: in a session of the connection's own, or if a pooler ensures it.
   */
  readonly keepStatements: boolean;
}

/** A pooler with other clients may hand out any session. Each check notices that with a chance of at least a half. */
const LOOKS = 8;
const ANSWER_MS = 5_000;

type Numbered = { readonly pid: number };

/**
 * Checks with two connections of its own. A connection with a session of its own has one backend from beginning to end,
 * and no other connection has that backend in the meantime.
 * @throws the driver's error when the database cannot be reached
 */
export async function lookAtSessions(connection: PostgresOptions): Promise<Sessions> {
  const [one, other] = [0, 1].map(() =>
    postgres({ onnotice: () => {}, fetch_types: false, ...connection, max: 1, idle_timeout: 0, max_lifetime: null })
  ) as [postgres.Sql, postgres.Sql];
  const timer = Promise.withResolvers<never>();
  const timeout = setTimeout(() => {
    timer.reject(Object.assign(new Error("no answer while its sessions are looked at"), { code: "CONNECT_TIMEOUT" }));
  }, ANSWER_MS);
  try {
    return await Promise.race([timer.promise, look(one, other, connection.prepare !== false)]);
  } finally {
    clearTimeout(timeout);
    await Promise.all([one, other].map((sql) => sql.end({ timeout: 0 }).catch(() => {})));
    for (const sql of [one, other]) noteEnded(sql);
  }
}

async function look(one: postgres.Sql, other: postgres.Sql, named: boolean): Promise<Sessions> {
  const areShared = await doShare(one, other);
  return { areShared, keepStatements: !areShared || (named && await areStatementsKept(one)) };
}

async function doShare(one: postgres.Sql, other: postgres.Sql): Promise<boolean> {
  // A pooler gives clients numbers of its own. If both connections have their backends' numbers, one look is enough.
  const looks = await hasBackendsNumber(one) && await hasBackendsNumber(other) ? 1 : LOOKS;
  for (let n = 0; n < looks; n++) {
    const before = await backendOf(one);
    const held = await beginIn(other);
    try {
      if (held === before || await backendOf(one) !== before) return true;
    } finally {
      await other.unsafe("rollback");
    }
    if (await backendOf(other) !== held) return true;
  }
  return false;
}

/** Whether the number that the client received when it connected is that of its backend. */
async function hasBackendsNumber(sql: postgres.Sql): Promise<boolean> {
  const rows = await sql.unsafe<Numbered[]>("select pg_backend_pid() as pid");
  return (rows as unknown as { state: { pid: number } }).state.pid === rows[0]!.pid;
}

async function backendOf(sql: postgres.Sql): Promise<number> {
  const [row] = await sql.unsafe<Numbered[]>("select pg_backend_pid() as pid");
  return row!.pid;
}

/** Begins a transaction and leaves it open. */
async function beginIn(sql: postgres.Sql): Promise<number> {
  const results = await sql.unsafe("begin; select pg_backend_pid() as pid") as unknown as Numbered[][];
  return results.find((rows) => rows[0] !== undefined)![0]!.pid;
}

/**
 * A pooler that carries prepared statements from session to session gives them names of its own there. One that does not
 * passes the client's names on: they mean nothing in the next session.
 */
async function areStatementsKept(sql: postgres.Sql): Promise<boolean> {
  const rows = await sql<{ name: string }[]>`select name from pg_prepared_statements`;
  const { name } = (rows as unknown as { statement: { name: string } }).statement;
  return !rows.some((row) => row.name === name);
}
