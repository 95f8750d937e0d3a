/**
 * The door to SQL under dying backends. docs/reference/guarantees.md T3, F1: postgres.js 3.4.9 hands a transaction's slot to
 * another transaction when its backend dies; the door must not let that be seen.
 */
import assert from "node:assert/strict";
import postgres from "postgres";
import { connectionOf } from "../../scripts/gate/native_postgres.ts";
import type { Tx, WorkspaceScope } from "../../src/db/tx.ts";
import { POSTGRES } from "../_postgres.ts";
import {
  backendOf,
  createGate,
  type Door,
  openDoor,
  outcomeOf,
  readRows,
  type Row,
  watchUncaught,
  writeRow,
} from "./_door.ts";

/** Ways in which the callback of a transaction whose backend has died continues when it wakes up. */
const WAYS = ["reads", "writes", "throws", "returns"] as const;

/**
 * A's callback awaits something else while its backend dies; then B's transaction is under way in the same pool of one
 * connection, and only then A's callback wakes up.
 */
async function wakeInsideAnother(
  begin: (scope: WorkspaceScope, work: (tx: Pick<Tx, "sql" | "workspaceId">) => Promise<void>) => Promise<void>,
  door: Door,
  way: (typeof WAYS)[number],
  bThrows: boolean,
): Promise<{ a: string | undefined; b: string | undefined; seen: Row[]; rows: Row[] }> {
  const wakeA = createGate();
  const aWoke = createGate();
  const finishB = createGate();
  const pidOfA = Promise.withResolvers<number>();
  const bRuns = createGate();
  let seen: Row[] = [];
  const a = outcomeOf(begin(door.a, async (tx) => {
    await writeRow(tx as Tx, "A first");
    pidOfA.resolve(await backendOf(tx));
    await wakeA.opened;
    try {
      if (way === "reads") seen = await readRows(tx);
      if (way === "writes") await writeRow(tx as Tx, "A second");
      if (way === "throws") throw new Error("A gives up");
    } finally {
      aWoke.open();
    }
  }));
  await door.kill(await pidOfA.promise);
  const { code } = await a;
  const b = outcomeOf(begin(door.b, async (tx) => {
    await writeRow(tx as Tx, "B first");
    bRuns.open();
    await finishB.opened;
    // A's COMMIT or ROLLBACK would come before it on the connection.
    await readRows(tx);
    if (bThrows) throw new Error("B gives up");
  }));
  await bRuns.opened;
  wakeA.open();
  await aWoke.opened;
  finishB.open();
  return { a: code, b: (await b).code, seen, rows: await door.rows() };
}

for (const way of WAYS) {
  for (const bThrows of [false, true]) {
    Deno.test({
      ...POSTGRES,
      name: `T3 a callback whose backend died ${way} while another workspace ${bThrows ? "rolls back" : "commits"}`,
      async fn() {
        using uncaught = watchUncaught();
        await using door = await openDoor({ max: 1 });
        const found = await wakeInsideAnother((scope, work) => door.db.tx(scope, work), door, way, bThrows);
        assert.equal(found.a, "unavailable");
        assert.deepEqual(found.seen, []);
        assert.equal(found.b, bThrows ? "Error: B gives up" : undefined);
        assert.deepEqual(found.rows.map((row) => row.name), bThrows ? [] : ["B first"]);
        assert.deepEqual(uncaught.errors, []);
      },
    });
  }
}

/** The control: the driver's own `begin`. If one of these tests fails, the driver was repaired. */
async function withPlainDriver(way: (typeof WAYS)[number], bThrows: boolean) {
  await using door = await openDoor();
  const sql = postgres({ ...connectionOf(door.requestUrl), max: 1, backoff: () => 0.05, onnotice: () => {} });
  try {
    const begin = (scope: WorkspaceScope, work: (tx: Pick<Tx, "sql" | "workspaceId">) => Promise<void>) =>
      sql.begin(async (handle) => {
        await handle`
          select set_config('app.workspace_id', ${scope.workspaceId}, true),
                 set_config('app.max_sensitivity', 'restricted', true)`;
        await work({ sql: handle, workspaceId: scope.workspaceId });
      }) as Promise<void>;
    return await wakeInsideAnother(begin, door, way, bThrows);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

Deno.test({
  ...POSTGRES,
  name: "T3 control: with the driver's own transaction A reads B's row",
  async fn() {
    assert.deepEqual((await withPlainDriver("reads", false)).seen.map((row) => row.name), ["B first"]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T3 control: with the driver's own transaction B's acknowledged write is lost when A throws",
  async fn() {
    const { b, rows } = await withPlainDriver("throws", false);
    assert.deepEqual([b, rows.length], [undefined, 0]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T3 control: with the driver's own transaction B's refused write stays when A returns",
  async fn() {
    const { b, rows } = await withPlainDriver("returns", true);
    assert.deepEqual([b, rows.map((row) => row.name)], ["Error: B gives up", ["B first"]]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T3 a statement that was built before its backend died is not sent after it",
  async fn() {
    using uncaught = watchUncaught();
    await using door = await openDoor({ max: 1 });
    const wake = createGate();
    const woke = Promise.withResolvers<string | undefined>();
    const pid = Promise.withResolvers<number>();
    const a = outcomeOf(door.db.tx(door.a, async (tx) => {
      pid.resolve(await backendOf(tx));
      // The driver sends a statement when it is first awaited, not when it is built.
      const built = tx.sql<Row[]>`select name, value from usage_counter`;
      await wake.opened;
      woke.resolve((await outcomeOf(built)).code);
    }));
    await door.kill(await pid.promise);
    assert.equal((await a).code, "unavailable");
    await door.db.tx(door.b, async (tx) => {
      await writeRow(tx, "B first");
      wake.open();
      assert.notEqual(await woke.promise, undefined);
      await readRows(tx);
    });
    assert.deepEqual((await door.rows()).map((row) => row.name), ["B first"]);
    assert.deepEqual(uncaught.errors, []);
  },
});

Deno.test({
  ...POSTGRES,
  name: "F1 a callback that swallows the loss of its backend and goes on is refused, and the process lives",
  async fn() {
    using uncaught = watchUncaught();
    await using door = await openDoor({ max: 1 });
    const pid = Promise.withResolvers<number>();
    const second = Promise.withResolvers<string | undefined>();
    const call = outcomeOf(door.db.tx(door.a, async (tx) => {
      await writeRow(tx, "A first");
      pid.resolve(await backendOf(tx));
      await outcomeOf(tx.sql`select pg_sleep(60)`);
      second.resolve((await outcomeOf(writeRow(tx, "A second"))).code);
    }));
    await door.kill(await pid.promise);
    assert.equal((await call).code, "unavailable");
    assert.notEqual(await second.promise, undefined);
    // Two transactions of the pool: anything that the driver still had to write would fail now.
    await door.db.tx(door.b, (tx) => writeRow(tx, "B first"));
    await door.db.tx(door.b, (tx) => writeRow(tx, "B second"));
    assert.deepEqual((await door.rows()).map((row) => row.name), ["B first", "B second"]);
    assert.deepEqual(uncaught.errors, []);
  },
});

Deno.test({
  ...POSTGRES,
  name: "F1 a read is run again once when its backend dies, a write is not",
  async fn() {
    using uncaught = watchUncaught();
    await using door = await openDoor({ max: 2 });
    for (const readOnly of [true, false]) {
      let runs = 0;
      const call = outcomeOf(door.db.tx(door.a, async (tx) => {
        const pid = await backendOf(tx);
        if (++runs === 1) await Promise.all([tx.sql`select pg_sleep(60)`, door.kill(pid)]);
        return runs;
      }, { readOnly }));
      const { value, code } = await call;
      assert.deepEqual([value, code, runs], readOnly ? [2, undefined, 2] : [undefined, "unavailable", 1]);
    }
    assert.deepEqual(uncaught.errors, []);
  },
});

Deno.test({
  ...POSTGRES,
  name: "F1 transactions that wait for a connection go on in the next pool when another one's backend dies",
  async fn() {
    using uncaught = watchUncaught();
    await using door = await openDoor({ max: 1 });
    const pid = Promise.withResolvers<number>();
    const first = outcomeOf(door.db.tx(door.a, async (tx) => {
      pid.resolve(await backendOf(tx));
      await tx.sql`select pg_sleep(60)`;
    }));
    const dying = await pid.promise;
    const waiting = Array.from({ length: 20 }, (_, n) => door.db.tx(door.b, (tx) => writeRow(tx, `B ${n}`)));
    await door.kill(dying);
    assert.equal((await first).code, "unavailable");
    await Promise.all(waiting);
    assert.equal((await door.rows()).length, 20);
    assert.deepEqual(uncaught.errors, []);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T2 a setting does not outlive its transaction: the next one on the connection sees nothing",
  async fn() {
    await using door = await openDoor({ max: 1 });
    await door.db.tx(door.a, (tx) => writeRow(tx, "A first"));
    assert.equal((await door.db.system((sql) => readRows({ sql }))).length, 0);
    assert.equal((await door.db.tx(door.b, readRows)).length, 0);
    assert.equal((await door.db.tx(door.a, readRows)).length, 1);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T3 the handle refuses what the door cannot guard",
  async fn() {
    await using door = await openDoor({ max: 1 });
    for (const name of ["savepoint", "file", "prepare"]) {
      await assert.rejects(
        door.db.tx(door.a, async (tx) => (tx.sql as unknown as Record<string, () => unknown>)[name]!()),
        new RegExp(`Cannot use ${name}`),
      );
    }
    await door.db.tx(door.a, (tx) => writeRow(tx, "A first"));
  },
});
