/** A database that is slow. docs/reference/guarantees.md F6. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { relinkChanged } from "../../src/domain/kinds/entities/mention_work.ts";
import { workerContext } from "../../src/workers/mod.ts";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { startService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { send } from "./_process.ts";
import { Stage } from "./_stage.ts";

Deno.test({
  ...POSTGRES,
  name: "the service behind a slow way to Postgres, with slow statements, and with a silent Postgres",
  async fn(t) {
    await using stage = await Stage.open({ nodes: 1, env: { SVC_DB_DEADLINE_MS: "2000" } });
    await t.step(
      "F6 with half a second on every way to Postgres the hot tier answers as before, other reads and writes arrive",
      () => slowWay(stage),
    );
    await t.step(
      "F6 a statement that takes too long ends as 504 with nothing written; the others go on meanwhile",
      () => slowStatement(stage),
    );
    await t.step(
      "F4 F6 a database that falls silent: calls end at their deadline, and it goes on when the way is free again",
      () => silentWay(stage),
    );
    await stage.stop();
  },
});

async function slowWay(stage: Stage): Promise<void> {
  const { nodes: [node], tenants: [{ key }] } = stage;
  const write = () => send(node.url, key, "POST", "/memory/events", { type: "slow" }, { "idempotency-key": "slow" });
  const recall = () => send(node.url, key, "POST", "/memory/recall/hot", { query: "crate" });
  await waitFor("the hot tier to hold the workspace", async () => (await recall()).body.tiers[0].tier === "hot");
  stage.way.delay(500);
  const times: number[] = [];
  for (let i = 0; i < 20; i++) {
    const answer = await recall();
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    times.push(answer.ms);
  }
  times.sort((a, b) => a - b);
  // One look at the database would take a second. The audit rows of these reads are on their way meanwhile.
  assert.ok(times[10] < 1_000, `${times}`);
  let written = await write();
  assert.ok(written.ms > 1_000, `${written.ms} ms: it did not ask the database`);
  // A write takes many ways; it may meet its deadline, and then nothing of it is there.
  assert.ok([201, 503, 504].includes(written.status), JSON.stringify(written.body));
  stage.way.heal();
  // The first attempt may hold the key for as long as Postgres takes to end it.
  await waitFor("the write arrives", async () => (written = await write()).status === 201);
  await stage.check();
}

async function slowStatement(stage: Stage): Promise<void> {
  const { nodes: [node], tenants: [{ key }] } = stage;
  const sql = postgres(stage.database.superuserUrl, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(`
      create function be_slow() returns trigger language plpgsql as $$ begin perform pg_sleep(60); return new; end $$;
      create trigger be_slow before insert on event for each row when (new.type = 'asleep') execute function be_slow()`);
    const write = () =>
      send(node.url, key, "POST", "/memory/events", { type: "asleep" }, { "idempotency-key": "asleep" });
    const slow = write();
    const others = await Promise.all([
      send(node.url, key, "POST", "/memory/events", { type: "quick" }),
      send(node.url, key, "POST", "/memory/recall/hot", { query: "crate" }),
      send(node.url, key, "GET", "/facts"),
    ]);
    assert.deepEqual(others.map(({ status }) => status), [201, 200, 200]);
    const refused = await slow;
    assert.equal(refused.status, 504, JSON.stringify(refused.body));
    assert.equal(refused.body.code, "deadline_exceeded");
    await sql`drop trigger be_slow on event`;
    const again = await write();
    assert.deepEqual([again.status, again.isReplay], [201, false], "the key is free, nothing was kept of the refusal");
    const [{ count }] = await sql`select count(*)::int from event where type = 'asleep'`;
    assert.equal(count, 1);
    await stage.check();
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function silentWay(stage: Stage): Promise<void> {
  const { nodes: [node], tenants: [{ key }] } = stage;
  stage.way.freeze("down");
  const silent = await Promise.all(
    Array.from({ length: 20 }, () => send(node.url, key, "POST", "/memory/events", { type: "x" })),
  );
  for (const { status } of silent) assert.ok(status === 503 || status === 504, `${status}`);
  stage.way.heal();
  stage.way.cut();
  await stage.check();
}

Deno.test({
  ...POSTGRES,
  name: "F6 what a worker cannot do within its deadline it does in smaller steps",
  async fn() {
    await using database = await createDatabase();
    await using service = await startService({ database });
    await using late = await startService({ database, env: { SVC_DB_DEADLINE_MS: "500" } });
    const facts = Array.from({ length: 40 }, (_, n) => ({ statement: `The keeper polished gnomon ${n} at dawn` }));
    const stored = await service.post("/v1/memory/facts/batch", { facts });
    assert.equal(stored.status, 200, JSON.stringify(stored.body));
    const sql = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
    try {
      // All of them take longer than the deadline.
      await sql.unsafe(`
        create function be_slow() returns trigger language plpgsql as $$ begin perform pg_sleep(0.02); return new; end $$;
        create trigger be_slow before insert on mention for each row execute function be_slow()`);
      const entity = await service.post("/v1/memory/entities", { canonicalName: "Keeper", entityType: "person" });
      assert.equal(entity.status, 201, JSON.stringify(entity.body));
      const ctx = workerContext(late.deps, "mentions", service.workspaceId);
      await waitFor("all facts are linked", async () => {
        await relinkChanged(ctx);
        const [{ n }] = await sql`select count(*)::int as n from mention where entity_id = ${entity.body.id}`;
        return n === facts.length;
      });
    } finally {
      await sql.end({ timeout: 5 });
    }
  },
});
