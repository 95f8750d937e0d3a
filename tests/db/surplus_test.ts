/** Several processes share a server with few connections: each leaves some to the others, and one to its own listener. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { connectionOf, NativePostgres } from "../../scripts/gate/native_postgres.ts";
import { Notifications } from "../../src/db/notifications.ts";
import { beat, LISTENER } from "../../src/db/queries/notifications.ts";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { waitFor } from "../_wait.ts";
import { backendOf, createGate, type Door, openDoor, outcomeOf } from "./_door.ts";

/** Postgres reserves three of them for superusers. */
const CONNECTIONS = 10;
const PLACES = CONNECTIONS - 3;

Deno.test({
  ignore: POSTGRES.ignore,
  name: "a pool that was busy once gives its connections back, and a transaction on it goes on",
  async fn() {
    await using cluster = await NativePostgres.start();
    await using database = await createDatabase({ cluster: cluster.url() });
    await using busy = await openDoor({ database, max: 10, deadlineMs: 120_000 });
    await using other = await openDoor({ database, max: 10, deadlineMs: 1_000 });
    for (const { superuser } of [busy, other]) await superuser.end({ timeout: 5 });
    await cluster.stop();
    await cluster.start({ max_connections: CONNECTIONS });

    const gate = createGate();
    const begun = Array.from({ length: PLACES }, () => Promise.withResolvers<number>());
    const held = begun.map(({ resolve }) =>
      busy.db.tx(busy.a, async (tx) => {
        resolve(await backendOf(tx));
        await gate.opened;
        return await backendOf(tx);
      })
    );
    const backends = await Promise.all(begun.map(({ promise }) => promise));
    assert.equal(new Set(backends).size, PLACES);
    const ask = () => outcomeOf(other.db.tx(other.a, backendOf, { readOnly: true }));
    assert.equal((await ask()).code, "unavailable");
    gate.open();
    assert.deepEqual(await Promise.all(held), backends);

    // One long transaction, and short ones, such as the background loops run all the time.
    const end = createGate();
    const lasting = Promise.withResolvers<number>();
    const outcome = busy.db.tx(busy.a, async (tx) => {
      lasting.resolve(await backendOf(tx));
      await end.opened;
      return await backendOf(tx);
    });
    outcome.catch(() => {});
    const backend = await lasting.promise;
    await waitFor("the other one is let in", async () => {
      await busy.db.tx(busy.a, backendOf, { readOnly: true });
      return (await ask()).value;
    });
    end.open();
    assert.equal(await outcome, backend);
  },
});

/** A pool of ten connections on a server that has seven for it. */
async function openOnFewConnections(stack: AsyncDisposableStack) {
  const cluster = stack.use(await NativePostgres.start());
  const database = stack.use(await createDatabase({ cluster: cluster.url() }));
  const door = stack.use(await openDoor({ database, max: 10, deadlineMs: 120_000 }));
  await door.superuser.end({ timeout: 5 });
  await cluster.stop();
  await cluster.start({ max_connections: CONNECTIONS });
  return { database, door };
}

/** Uses so many connections of the pool at the same time, again and again, until the returned function is called. */
function keepBusy({ db, a }: Door, connections: number): () => Promise<void> {
  let isOver = false;
  const chains = Array.from({ length: connections }, async () => {
    while (!isOver) await outcomeOf(db.tx(a, ({ sql }) => sql`select pg_sleep(0.02)`, { readOnly: true }));
  });
  return async () => {
    isOver = true;
    await Promise.all(chains);
  };
}

Deno.test({
  ignore: POSTGRES.ignore,
  name: "while the server is full a process keeps its share and gives back what it has beyond",
  async fn() {
    await using stack = new AsyncDisposableStack();
    const { database, door } = await openOnFewConnections(stack);
    const superuser = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
    const listeners = [0, 1].map(() =>
      postgres({ ...connectionOf(database.requestUrl), max: 1, connection: { application_name: `svc${LISTENER}` } })
    );
    try {
      await superuser`select`;
      for (const sql of listeners) await sql`select`;
      const countOurs = async () => {
        const [{ n }] = await superuser<[{ n: number }]>`
          select count(*)::int as n from pg_stat_activity where application_name = 'svc-door-test'`;
        return n;
      };
      const hold = (count: number) => {
        const gate = createGate();
        let begun = 0;
        const held = Array.from({ length: count }, () =>
          door.db.tx(door.a, async (tx) => {
            await backendOf(tx);
            begun++;
            await gate.opened;
          }));
        for (const one of held) one.catch(() => {});
        return { begun: () => begun, end: () => (gate.open(), Promise.all(held)) };
      };
      const heartbeat = () => door.db.system((sql) => beat(sql, "somewhere", "here"));

      // The connections of the superuser and of the listeners take three of them.
      const first = hold(PLACES - 3);
      await waitFor("all have begun", () => first.begun() === PLACES - 3);
      await first.end();
      const room = await heartbeat();
      assert.deepEqual(room, { free: 0, used: PLACES - 1, listeners: 2 });
      door.db.noteRoom(room);
      await waitFor("what is beyond the share is closed", async () => await countOurs() <= 1);
      // Other processes have taken the connections that it gave back: its share stays the same.
      door.db.noteRoom({ free: 0, used: 3, listeners: 1 });
      const kept = hold(2);
      await waitFor("two have begun", () => kept.begun() === 2);
      await kept.end();
      door.db.noteRoom(room);
      const second = hold(PLACES);
      await waitFor("one has begun", () => second.begun() === 1);
      assert.equal(await countOurs(), 1);
      await second.end();
      assert.equal(second.begun(), PLACES);

      // With more room it takes more again.
      for (let i = 0; i < 3; i++) door.db.noteRoom({ free: 3, used: 3, listeners: 2 });
      const third = hold(4);
      await waitFor("four have begun", () => third.begun() === 4);
      await third.end();

      // If there is much room, it takes its part immediately, as after a restart of the server.
      door.db.noteRoom(room);
      door.db.noteRoom({ free: 12, used: 3, listeners: 2 });
      const fourth = hold(4);
      await waitFor("four have begun after one look", () => fourth.begun() === 4);
      await fourth.end();

      const [{ role }] = await door.db.system((sql) => sql<[{ role: string }]>`select current_user as role`);
      await superuser`alter role ${superuser(role)} connection limit 7`;
      assert.deepEqual(await heartbeat(), { free: 0, used: PLACES - 1, listeners: 2 });
      await superuser`alter role ${superuser(role)} connection limit 5`;
      assert.equal((await heartbeat()).free, -1);
    } finally {
      for (const sql of [superuser, ...listeners]) await sql.end({ timeout: 5 });
    }
  },
});

Deno.test({
  ignore: POSTGRES.ignore,
  name: "a listener that is refused a connection gets one of its own process's pool",
  async fn() {
    await using stack = new AsyncDisposableStack();
    const { database, door } = await openOnFewConnections(stack);
    const stop = keepBusy(door, PLACES);
    try {
      let refusals = 0;
      await using notifications = new Notifications({
        connection: connectionOf(database.requestUrl),
        channels: {},
        send: (channel, payload) => door.db.system((sql) => beat(sql, channel, payload)),
        onGap: () => {},
        onRefused: () => {
          refusals++;
          door.db.makeRoom();
        },
      });
      // All connections are in use now and again.
      await waitFor("all are busy", async () => {
        const held = await outcomeOf(Promise.all(Array.from({ length: PLACES }, () => door.db.tx(door.a, backendOf))));
        return new Set(held.value).size === PLACES;
      });
      await notifications.start();
      await waitFor("the listener hears", () => notifications.isHearing);
      assert.ok(refusals > 0);
    } finally {
      await stop();
    }
  },
});
