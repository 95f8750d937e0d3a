/** The door to SQL on sessions that a pooler in transaction mode lends out. SECURITY.md T2, F6. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { connectionOf } from "../../scripts/gate/native_postgres.ts";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { POOLED, startPgBouncer } from "../_pgbouncer.ts";
import { backendOf, createGate, openDoor, outcomeOf, readRows, writeRow } from "./_door.ts";

const IGNORE = { ignore: POSTGRES.ignore || POOLED.ignore };
const FAR_DEADLINE_MS = 60_000;

/** A door behind a pooler, with one connection past it for what must not wait. */
async function openPooledDoor(stack: AsyncDisposableStack, options: { poolSize: number; max?: number }) {
  const database = stack.use(await createDatabase());
  const bouncer = stack.use(await startPgBouncer(database, options));
  const door = stack.use(
    await openDoor({
      database,
      max: options.max ?? 4,
      deadlineMs: FAR_DEADLINE_MS,
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
    // Below the time after which a pool that was retired breaks off what still runs on it. The pooler has no other session.
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
    // Nobody has looked at the sessions: the door finds out by itself.
    const { door } = await openPooledDoor(stack, { poolSize: 2, max: 2 });
    const gate = createGate();
    for (let n = 0; n < 4; n++) await Promise.all([0, 1].map(() => door.db.tx(door.a, readRows)));
    const begun = createGate();
    const holder = door.db.tx(door.a, async (tx) => {
      await writeRow(tx, "A");
      begun.open();
      await gate.opened;
    });
    await begun.opened;
    try {
      for (let n = 0; n < 4; n++) await door.db.tx(door.b, (tx) => writeRow(tx, `B ${n}`));
    } finally {
      gate.open();
    }
    await holder;
    await Promise.all(Array.from({ length: 20 }, (_, n) => door.db.tx(door.b, (tx) => writeRow(tx, `C ${n}`))));
    assert.equal(door.db.poolGeneration, 2);
    assert.equal((await door.rows()).length, 25);
  },
});
