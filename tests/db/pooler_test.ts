/** The door to SQL on sessions that a pooler in transaction mode lends out. docs/reference/guarantees.md T2, F6. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { connectionOf } from "../../scripts/gate/native_postgres.ts";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { POOLED, startPgBouncer } from "../_pgbouncer.ts";
import type { Tx } from "../../src/db/tx.ts";
import { backendOf, createGate, openDoor, outcomeOf, readRows, writeRow } from "./_door.ts";

const IGNORE = { ignore: POSTGRES.ignore || POOLED.ignore };
const FAR_DEADLINE_MS = 60_000;

/** A door behind a pooler, with one connection past it for statements that must not wait. */
async function openPooledDoor(
  stack: AsyncDisposableStack,
  options: { poolSize: number; max?: number; deadlineMs?: number },
) {
  const database = stack.use(await createDatabase());
  const bouncer = stack.use(await startPgBouncer(database, options));
  const door = stack.use(
    await openDoor({
      database,
      max: options.max ?? 4,
      deadlineMs: options.deadlineMs ?? FAR_DEADLINE_MS,
      connection: { port: bouncer.port },
      direct: connectionOf(database.requestUrl),
    }),
  );
  return { door, bouncer, database };
}

Deno.test({
  ...IGNORE,
  name: "T2 nothing of a transaction is left in a session that a pooler lends to the next one",
  async fn() {
    await using stack = new AsyncDisposableStack();
    const { door, bouncer, database } = await openPooledDoor(stack, { poolSize: 1 });
    await door.db.lookAtSessions();
    const backend = await door.db.tx(door.a, async (tx) => {
      await writeRow(tx, "A");
      return await backendOf(tx);
    }, { lockTimeoutMs: 100 });
    const next = postgres(bouncer.through(database.requestUrl), { max: 1, prepare: false });
    stack.defer(() => next.end({ timeout: 1 }));
    const names = [
      ...["app.workspace_id", "app.max_sensitivity", "lock_timeout", "statement_timeout"],
      ...["idle_in_transaction_session_timeout", "client_connection_check_interval"],
    ];
    const [left] = await next`
      select pg_backend_pid() as pid, (select count(*)::int from pg_locks where locktype = 'advisory'
                and database = (select oid from pg_database where datname = current_database())) as locks,
             (select array_agg(coalesce(current_setting(name, true), '')) from unnest(${names}::text[]) name) as settings`;
    assert.equal(left!.pid, backend);
    assert.deepEqual(left!.settings, ["", "", "0", "0", "0", "0"]);
    assert.equal(left!.locks, 0);
    assert.equal((await door.db.tx(door.b, readRows)).length, 0);
  },
});

Deno.test({
  ...IGNORE,
  name: "F6 behind a pooler a transaction that is given up keeps no locks, and no other is ended in its place",
  async fn() {
    await using stack = new AsyncDisposableStack();
    const { door } = await openPooledDoor(stack, { poolSize: 2 });
    await door.db.lookAtSessions();
    const begun = createGate();
    const gate = createGate();
    const other = outcomeOf(door.db.tx(door.b, async (tx) => {
      await writeRow(tx, "B");
      begun.open();
      await gate.opened;
      await writeRow(tx, "B again");
    }));
    await begun.opened;
    const late = await outcomeOf(door.db.tx(door.a, async (tx) => {
      await writeRow(tx, "A");
      for (;;) await tx.sql`select pg_sleep(0.05)`;
    }, { deadlineMs: 200 }));
    assert.equal(late.code, "deadline_exceeded");
    // Less than the time after which a retired pool breaks off its transactions. The pooler has no other session.
    await door.db.tx(door.a, (tx) => writeRow(tx, "A"), { deadlineMs: 3_000 });
    gate.open();
    assert.equal((await other).code, undefined);
    assert.deepEqual((await door.rows()).map((row) => row.name), ["A", "B", "B again"]);
  },
});

Deno.test({
  ...IGNORE,
  name: "a statement that was prepared in a session that is another's now is sent again without a name",
  async fn() {
    await using stack = new AsyncDisposableStack();
    // Nobody has checked the sessions: the door finds out by itself. It has one connection and the pooler two sessions,
    // of which another client always has one, so it is certain which one the door gets.
    const { door, bouncer, database } = await openPooledDoor(stack, { poolSize: 2, max: 1, deadlineMs: 10_000 });
    const hold = () => holdSession(stack, bouncer.through(database.requestUrl));
    // More prepared statements than the door has retries. The first ones have no values: postgres.js 3.4.9 may never
    // settle a statement with values that follows a lost one, and so keep its session of the pooler for some seconds.
    const work = (name: string) =>
      door.db.tx(door.b, async (tx) => {
        await readRows(tx);
        for (const n of [1, 2, 3, 4]) await tx.sql.unsafe(`select ${n}`, [], { prepare: true });
        await writeRow(tx, name);
        return await backendOf(tx);
      });
    let held = await hold();
    let backend = await work("first");
    for (const name of ["second", "third", "fourth"]) {
      const next = await hold();
      await held.release();
      held = next;
      const other = await work(name);
      assert.notEqual(other, backend);
      backend = other;
    }
    assert.equal(door.db.poolGeneration, 2);
    assert.deepEqual((await door.rows()).map((row) => row.name), ["first", "fourth", "second", "third"]);
  },
});

Deno.test({
  ...IGNORE,
  name: "a transaction whose opening was prepared in another's session begins again, whatever statement comes first",
  async fn() {
    await using stack = new AsyncDisposableStack();
    // Each on a door of its own, because a door that has lost a statement no longer prepares statements by name.
    const statement = (tx: Tx) => tx.sql`select ${1}::int as n, ${"x"}::text as x`;
    for (
      const first of [
        statement,
        async () => {},
        (tx: Tx) => statement(tx).catch(() => {}),
      ]
    ) {
      const { door, bouncer, database } = await openPooledDoor(stack, { poolSize: 2, max: 1 });
      const hold = () => holdSession(stack, bouncer.through(database.requestUrl));
      let runs = 0;
      const work = (name: string) =>
        door.db.tx(door.b, async (tx) => {
          runs++;
          await first(tx);
          await writeRow(tx, name);
        }, { deadlineMs: 20_000 });
      const held = await hold();
      await work("first");
      const next = await hold();
      await held.release();
      await work("second");
      await next.release();
      assert.equal(runs, 3, "begun again once");
      assert.deepEqual((await door.rows()).map((row) => row.name), ["first", "second"]);
    }
  },
});

/** Takes a session from the pooler and keeps it in a transaction until it is released. */
async function holdSession(stack: AsyncDisposableStack, url: string): Promise<{ release(): Promise<void> }> {
  const sql = postgres(url, { max: 1, prepare: false, fetch_types: false });
  stack.defer(() => sql.end({ timeout: 1 }));
  await sql.unsafe("begin; select 1");
  return { release: async () => void await sql.unsafe("rollback") };
}
