/** A database that is slow. Security F6. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { startRelay } from "../_relay.ts";
import { startService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { send } from "./_process.ts";
import { Stage } from "./_stage.ts";

Deno.test({
  ...POSTGRES,
  name: "F6 with half a second on every way to Postgres the hot tier answers as before, other reads and writes arrive",
  async fn() {
    await using stage = await Stage.open({ nodes: 1 });
    const [node] = stage.nodes;
    const [{ key }] = stage.tenants;
    const write = () => send(node.url, key, "POST", "/memory/events", { type: "slow" }, { "idempotency-key": "slow" });
    const recall = () => send(node.url, key, "POST", "/memory/recall/hot", { query: "crate" });
    assert.equal((await recall()).status, 200);
    stage.way.delay(500);
    const times: number[] = [];
    for (let i = 0; i < 20; i++) {
      const answer = await recall();
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      times.push(answer.ms);
    }
    times.sort((a, b) => a - b);
    // One look at the database would take a second. The audit rows of these reads are on their way meanwhile.
    assert.ok(times[10] < 250, `${times}`);
    let written = await write();
    assert.ok(written.ms > 1_000, `${written.ms} ms: it did not ask the database`);
    // A write takes many ways; it may meet its deadline, and then nothing of it is there.
    assert.ok([201, 503, 504].includes(written.status), JSON.stringify(written.body));
    stage.way.heal();
    // The first attempt may hold the key for as long as Postgres takes to end it.
    await waitFor("the write arrives", async () => (written = await write()).status === 201);
    await stage.check();
  },
});

Deno.test({
  ...POSTGRES,
  name: "F6 a statement that takes too long ends as 504 with nothing written; the others go on meanwhile",
  async fn() {
    await using service = await startService({ env: { SVC_DB_DEADLINE_MS: "1000" } });
    const sql = postgres(service.database!.superuserUrl, { max: 1, onnotice: () => {} });
    try {
      await sql.unsafe(`
        create function be_slow() returns trigger language plpgsql as $$ begin perform pg_sleep(60); return new; end $$;
        create trigger be_slow before insert on event for each row when (new.type = 'slow') execute function be_slow()`);
      assert.equal((await service.post("/v1/memory/recall/hot", { query: "crate" })).status, 200);
      const begun = performance.now();
      const headers = { "idempotency-key": "slow" };
      const slow = service.post("/v1/memory/events", { type: "slow" }, { headers });
      const others = await Promise.all([
        service.post("/v1/memory/events", { type: "quick" }),
        service.post("/v1/memory/recall/hot", { query: "crate" }),
        service.get("/v1/facts"),
      ]);
      assert.deepEqual(others.map(({ status }) => status), [201, 200, 200]);
      const refused = await slow;
      assert.equal(refused.status, 504, JSON.stringify(refused.body));
      assert.equal(refused.body.code, "deadline_exceeded");
      assert.ok(performance.now() - begun < 10_000);
      await sql`drop trigger be_slow on event`;
      const again = await service.post("/v1/memory/events", { type: "slow" }, { headers });
      assert.equal(again.status, 201, "the key is free, nothing was kept of the refusal");
      const [{ count }] = await sql`select count(*)::int from event where type = 'slow'`;
      assert.equal(count, 1);
    } finally {
      await sql.end();
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "F4 F6 a database that falls silent: calls end at their deadline, and it goes on when the way is free again",
  async fn() {
    await using database = await createDatabase();
    const target = new URL(database.requestUrl);
    await using way = startRelay({ hostname: target.hostname, port: Number(target.port) });
    target.port = String(way.port);
    await using service = await startService({
      database: { ...database, requestUrl: target.href },
      env: { SVC_DB_DEADLINE_MS: "1000", SVC_DB_CONNECT_TIMEOUT_SECONDS: "1" },
    });
    assert.equal((await service.get("/v1/facts")).status, 200);
    way.freeze("down");
    const begun = performance.now();
    const silent = await Promise.all(
      Array.from({ length: 20 }, () => service.post("/v1/memory/events", { type: "x" })),
    );
    for (const { status } of silent) assert.ok(status === 503 || status === 504, `${status}`);
    assert.ok(performance.now() - begun < 15_000, `${performance.now() - begun} ms`);
    way.heal();
    way.cut();
    assert.equal((await service.post("/v1/memory/events", { type: "after" })).status, 201);
  },
});
