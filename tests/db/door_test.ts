/** The door to SQL when the database is unreachable, slow, busy or has conflicts. docs/reference/guarantees.md F3 to F7. */
import assert from "node:assert/strict";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { backendOf, createGate, openDoor, outcomeOf, readRows, type Row, watchUncaught, writeRow } from "./_door.ts";
import { findDeadPort, startBlackHole, startRelay } from "../_relay.ts";
import type { WorkspaceScope } from "../../src/db/tx.ts";
import { waitFor } from "../_wait.ts";

/** A deadline so long that it does not end the call. */
const FAR_DEADLINE_MS = 60_000;
const SOON_MS = 20_000;

async function timed<T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const begun = performance.now();
  return { value: await work(), ms: performance.now() - begun };
}

Deno.test({
  ...POSTGRES,
  name: "F4 behind a black hole every call is unavailable as soon as the connection's own limit is over",
  async fn() {
    await using hole = startBlackHole();
    await using door = await openDoor({
      max: 2,
      deadlineMs: FAR_DEADLINE_MS,
      connection: { port: hole.port, connect_timeout: 1 },
    });
    const { value, ms } = await timed(() =>
      Promise.all(Array.from({ length: 40 }, (_, n) => {
        const readOnly = n % 2 === 0;
        return outcomeOf(door.db.tx(door.a, (tx) => writeRow(tx, `A ${n}`), { readOnly }));
      }))
    );
    assert.deepEqual(new Set(value.map(({ code }) => code)), new Set(["unavailable"]));
    assert.ok(ms < SOON_MS, `40 calls took ${ms} ms`);
  },
});

Deno.test({
  ...POSTGRES,
  name: "F3 on a refused port 200 calls at once are unavailable at once, not one after the other",
  async fn() {
    await using door = await openDoor({ max: 1, deadlineMs: FAR_DEADLINE_MS, connection: { port: findDeadPort() } });
    const { value, ms } = await timed(() =>
      Promise.all(Array.from({ length: 200 }, () => outcomeOf(door.db.tx(door.a, readRows, { readOnly: true }))))
    );
    assert.deepEqual(new Set(value.map(({ code }) => code)), new Set(["unavailable"]));
    // If each took 50 ms, they would take 10 s.
    assert.ok(ms < 5_000, `200 calls took ${ms} ms`);
    for (const { error } of value) {
      assert.equal((error as { headers: Record<string, string> }).headers["retry-after"], "1");
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "F5 with every connection taken and fifty of its transactions waiting, a workspace is in nobody else's way",
  async fn() {
    await using door = await openDoor({ max: 1, deadlineMs: FAR_DEADLINE_MS });
    const gate = createGate();
    const begun = createGate();
    const order: string[] = [];
    const holder = door.db.tx(door.a, async (tx) => {
      begun.open();
      await gate.opened;
      await readRows(tx);
    });
    await begun.opened;
    const run = (scope: WorkspaceScope, name: string) =>
      door.db.tx(scope, async (tx) => {
        order.push(name);
        await readRows(tx);
      });
    const backlog = Array.from({ length: 50 }, () => run(door.a, "A"));
    const other = run(door.b, "B");
    const worker = run({ ...door.a, actor: "worker:test" }, "worker");
    gate.open();
    await Promise.all([holder, ...backlog, other, worker]);
    assert.deepEqual(order.slice(0, 2).sort(), ["B", "worker"], `${order}`);
    assert.equal(order.length, 52);
  },
});

Deno.test({
  ...POSTGRES,
  name: "F6 what still runs on a pool that was given up takes no connection of the next one",
  async fn() {
    await using door = await openDoor({ max: 2, deadlineMs: FAR_DEADLINE_MS });
    const end = createGate();
    const begun = [createGate(), createGate()];
    const pids: number[] = [];
    const running = begun.map((one, n) =>
      outcomeOf(door.db.tx(door.a, async (tx) => {
        pids[n] = await backendOf(tx);
        one.open();
        await end.opened;
        await readRows(tx);
      }))
    );
    await Promise.all(begun.map((one) => one.opened));
    await door.kill(pids[0]!);
    await waitFor("the next pool", () => door.db.poolGeneration > 1);
    // Each waits for the other: one connection for both is not enough. The old pool is closed after five seconds.
    const met = [createGate(), createGate()];
    const outcomes = await Promise.all(met.map((mine, n) =>
      outcomeOf(door.db.tx(door.b, async (tx) => {
        await readRows(tx);
        mine.open();
        await met[1 - n]!.opened;
      }, { deadlineMs: 3_000 }))
    ));
    assert.deepEqual(outcomes.map(({ code }) => code), [undefined, undefined]);
    end.open();
    await Promise.all(running);
  },
});

Deno.test({
  ...POSTGRES,
  name: "F5 when all connections are taken, one more waits, is refused in time and does nothing; the pool stays",
  async fn() {
    await using door = await openDoor({ max: 2, deadlineMs: FAR_DEADLINE_MS });
    const gate = createGate();
    const running = [createGate(), createGate()];
    const holders = running.map((begun, n) =>
      door.db.tx(door.a, async (tx) => {
        await writeRow(tx, `A ${n}`);
        begun.open();
        await gate.opened;
        await writeRow(tx, `A ${n} again`);
      })
    );
    await Promise.all(running.map((begun) => begun.opened));
    let ran = false;
    const late = await outcomeOf(door.db.tx(door.b, async (tx) => {
      ran = true;
      await writeRow(tx, "B late");
    }, { deadlineMs: 200 }));
    assert.equal(late.code, "unavailable");
    const patient = door.db.tx(door.b, (tx) => writeRow(tx, "B patient"));
    gate.open();
    await Promise.all([...holders, patient]);
    assert.equal(door.db.poolGeneration, 1);
    assert.equal(ran, false);
    assert.deepEqual(
      (await door.rows()).map((row) => row.name),
      ["A 0", "A 0 again", "A 1", "A 1 again", "B patient"],
    );
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "F5 when the server has no connection left, calls wait for the pool's own, which stay, or are unavailable in time",
  async fn() {
    await using database = await createDatabase();
    await using door = await openDoor({ max: 3, deadlineMs: FAR_DEADLINE_MS, database });
    const gate = createGate();
    const begun = createGate();
    const holder = door.db.tx(door.a, async (tx) => {
      await writeRow(tx, "A first");
      begun.open();
      await gate.opened;
    });
    await begun.opened;
    const [{ n }] = await door.superuser<[{ n: number }]>`
      select count(*)::int as n from pg_stat_activity where datname = current_database()`;
    await door.superuser.unsafe(`alter database ${database.name} connection limit ${n}`);
    const refused = await outcomeOf(door.db.tx(door.b, (tx) => writeRow(tx, "B refused"), { deadlineMs: 300 }));
    assert.equal(refused.code, "unavailable");
    // Far more transactions than connections: each gets its turn on the connection that is left.
    const patient = Array.from({ length: 50 }, (_, i) => door.db.tx(door.b, (tx) => writeRow(tx, `B patient ${i}`)));
    gate.open();
    await Promise.all([holder, ...patient]);
    await door.db.tx(door.b, (tx) => writeRow(tx, "B second"));
    assert.equal(door.db.poolGeneration, 1);
    const names = (await door.rows()).map((row) => row.name).filter((name) => !name.startsWith("B patient"));
    assert.deepEqual(names, ["A first", "B second"]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "F6 work that goes on after its deadline sends nothing, and leaves no error that nobody catches",
  async fn() {
    using uncaught = watchUncaught();
    await using door = await openDoor({ max: 1, deadlineMs: FAR_DEADLINE_MS });
    await door.db.tx(door.b, readRows);
    const [answered, ended] = [createGate(), createGate()];
    const late = outcomeOf(door.db.tx(door.a, async (tx) => {
      try {
        await readRows(tx);
        await answered.opened;
        // The first is refused while nobody waits for it yet.
        await Promise.all([writeRow(tx, "A late"), tx.sql`select 1`, tx.sql.unsafe("select 1")]);
      } finally {
        ended.open();
      }
    }, { deadlineMs: 200 }));
    assert.equal((await late).code, "deadline_exceeded");
    answered.open();
    await ended.opened;
    await door.db.tx(door.b, (tx) => writeRow(tx, "B first"));
    assert.deepEqual((await door.rows()).map((row) => row.name), ["B first"]);
    assert.deepEqual(uncaught.errors, []);
  },
});

Deno.test({
  ...POSTGRES,
  name: "F6 a statement that outlasts the deadline is cancelled: deadline_exceeded, nothing written, the pool stays",
  async fn() {
    await using door = await openDoor({ max: 1, deadlineMs: 500 });
    const { code } = await outcomeOf(door.db.tx(door.a, async (tx) => {
      await writeRow(tx, "A first");
      await tx.sql`select pg_sleep(3600)`;
    }));
    assert.equal(code, "deadline_exceeded");
    assert.equal(door.db.poolGeneration, 1);
    await door.db.tx(door.b, (tx) => writeRow(tx, "B first"));
    assert.deepEqual((await door.rows()).map((row) => row.name), ["B first"]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "F6 a connection that goes silent in mid-transaction costs one deadline and its pool, nobody else",
  async fn() {
    await using database = await createDatabase();
    const { hostname, port } = new URL(database.requestUrl);
    await using relay = startRelay({ hostname, port: Number(port) });
    await using door = await openDoor({
      max: 1,
      deadlineMs: 1_000,
      database,
      connection: { port: relay.port, connect_timeout: 1 },
    });
    const { code } = await outcomeOf(door.db.tx(door.a, async (tx) => {
      await writeRow(tx, "A first");
      relay.freeze();
      await writeRow(tx, "A second");
    }));
    assert.equal(code, "deadline_exceeded");
    assert.equal(door.db.poolGeneration, 2);
    relay.thaw();
    await door.db.tx(door.b, (tx) => writeRow(tx, "B first"));
    assert.deepEqual((await door.rows()).map((row) => row.name), ["B first"]);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "F6 a transaction that is given up at its deadline keeps no locks: the same write, sent again, does not wait for it",
  async fn() {
    await using door = await openDoor({ max: 2, deadlineMs: FAR_DEADLINE_MS });
    const { code } = await outcomeOf(door.db.tx(door.a, async (tx) => {
      await writeRow(tx, "A");
      // No statement takes long; all of them together do.
      for (;;) await tx.sql`select pg_sleep(0.05)`;
    }, { deadlineMs: 200 }));
    assert.equal(code, "deadline_exceeded");
    // Less than the time after which a retired pool breaks off the transactions that still run on it.
    await door.db.tx(door.a, (tx) => writeRow(tx, "A"), { deadlineMs: 3_000 });
    assert.deepEqual((await door.rows()).map((row) => row.name), ["A"]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "F7 two transactions that lock each other out both succeed: the one that Postgres undid is done again",
  async fn() {
    await using door = await openDoor({ max: 2, deadlineMs: FAR_DEADLINE_MS });
    await door.db.tx(door.a, async (tx) => {
      await writeRow(tx, "one");
      await writeRow(tx, "two");
    });
    const holding = { one: createGate(), two: createGate() };
    // The run that is repeated waits until the other one has finished, or the two might deadlock once more.
    const survived = createGate();
    let runs = 0;
    const update = (first: "one" | "two", second: "one" | "two") =>
      door.db.tx(door.a, async (tx) => {
        if (++runs > 2) await survived.opened;
        for (const name of [first, second]) {
          await tx
            .sql`update usage_counter set value = value + 1 where workspace_id = ${tx.workspaceId} and name = ${name}`;
          if (name === first) holding[first].open();
          if (name === first) await holding[second].opened;
        }
        tx.record({ kind: "t", resourceType: "t", resourceId: crypto.randomUUID(), version: 1, sensitivity: "public" });
      });
    const updates = [update("one", "two"), update("two", "one")];
    Promise.race(updates).then(survived.open, survived.open);
    await Promise.all(updates);
    assert.deepEqual((await door.rows()).map((row) => Number(row.value)), [2, 2]);
    assert.equal(runs, 3);
    // The changes of the undone run are not recorded twice.
    const seqs = await door.superuser`select seq from change where workspace_id = ${door.a.workspaceId} order by seq`;
    assert.deepEqual(seqs.map((row) => Number(row.seq)), [1, 2]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "F7 a transaction that is undone again and again ends as unavailable before its deadline",
  async fn() {
    await using door = await openDoor({ max: 1, deadlineMs: FAR_DEADLINE_MS });
    let runs = 0;
    const { code } = await outcomeOf(door.db.tx(door.a, async (tx) => {
      runs++;
      await tx.sql.unsafe("do $$ begin raise exception using errcode = '40001'; end $$");
    }));
    assert.deepEqual([code, runs], ["unavailable", 4]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "a read-only transaction cannot write, and a caller who has gone is not served",
  async fn() {
    await using door = await openDoor({ max: 1 });
    assert.equal(
      (await outcomeOf(door.db.tx(door.a, (tx) => writeRow(tx, "A"), { readOnly: true }))).code,
      "25006",
    );
    const gone = new Error("gone");
    const { error } = await outcomeOf(door.db.tx(door.a, readRows, { signal: AbortSignal.abort(gone) }));
    assert.equal(error, gone);
    assert.equal((await door.rows()).length, 0);
  },
});

Deno.test({
  ...POSTGRES,
  name: "statements that are sent together keep their order and their results",
  async fn() {
    await using door = await openDoor({ max: 1 });
    const pids = await door.db.tx(door.a, async (tx) => {
      const [, , rows, pid] = await Promise.all([
        writeRow(tx, "A first"),
        writeRow(tx, "A second"),
        tx.sql<Row[]>`select name from usage_counter order by name`,
        backendOf(tx),
      ]);
      assert.deepEqual(rows.map((row) => row.name), ["A first", "A second"]);
      return [pid, await backendOf(tx)];
    });
    assert.equal(pids[0], pids[1]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "Postgres neither compiles a statement just in time nor divides it among processes, however dear it is",
  async fn() {
    await using door = await openDoor({ max: 1 });
    const plan = await door.db.tx(door.a, async (tx) => {
      await tx.sql`select set_config('jit_above_cost', '0', true)`;
      const [row] = await tx.sql<[{ workers: string }]>`
        select current_setting('max_parallel_workers_per_gather') as workers`;
      assert.equal(row.workers, "0");
      return await tx.sql<{ "QUERY PLAN": string }[]>`explain analyze select count(*) from usage_counter`;
    });
    const text = plan.map((row) => row["QUERY PLAN"]).join("\n");
    assert.match(text, /Aggregate/);
    assert.doesNotMatch(text, /^JIT:/m);
  },
});
