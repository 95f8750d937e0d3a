/** Reads from a streaming replica see what the primary has acknowledged, whatever happens to the replica. docs/guides/scale.md. */
import assert from "node:assert/strict";
import { startRelay } from "../_relay.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { waitFor, within } from "../_wait.ts";
import { fillWorkspace } from "../http/_transfer.ts";
import { atPort, outcomesOf, ReplicaPair, untilReplica } from "./_pair.ts";

const FACTS = "/v1/memory/facts";
const READY = "/health/ready?exclude=cache,notifications";

const stateOf = async (service: TestService) => {
  const { status, body } = await service.get(READY, { key: null });
  assert.equal(status, 200, "a replica never makes the service not ready");
  return body.checks.replica;
};

async function state(service: TestService, statement: string): Promise<string> {
  const { status, body } = await service.post(FACTS, { statement });
  assert.equal(status, 201, JSON.stringify(body));
  return body.id;
}

async function listed(service: TestService, key?: string): Promise<string[]> {
  const { status, body } = await service.get(`${FACTS}?limit=100`, key === undefined ? {} : { key });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.map((fact: { statement: string }) => fact.statement);
}

/** Reads until one did not ask the replica: one that failed several times is left alone for a while. */
async function untilResting(service: TestService): Promise<void> {
  await waitFor("the replica is left alone", async () => {
    const { resting = 0 } = await outcomesOf(service);
    return resting > 0 || (await listed(service), false);
  });
}

Deno.test({
  ...POSTGRES,
  name: "what a replica may answer it answers as the primary does, and the log of reads is on the primary",
  async fn() {
    await using pair = await ReplicaPair.start();
    await using alone = await startService({ database: pair.database });
    const ids = await fillWorkspace(alone);
    await using service = await pair.service();
    const mine = { key: alone.key };
    await untilReplica(service, () => service.get(FACTS, mine));
    const asOf = new Date().toISOString();
    const kinds = ["facts", "entities", "decisions", "strategies", "workflows", "skills", "episodes"];
    const reads: [method: string, path: string, body?: unknown][] = [
      ...kinds.map((kind) => ["GET", `/v1/memory/${kind}`] as [string, string]),
      ["GET", `${FACTS}?asOf=${asOf}&knownAt=${asOf}&subject=Caroline`],
      ["GET", `${FACTS}/${ids["boat"]}/revisions`],
      ["GET", "/v1/memory/entities?q=pix"],
      ["GET", "/v1/memory/units"],
      ["GET", "/v1/memory/units?q=boat&sort=worth"],
      ["GET", "/v1/memory/relations"],
      ["GET", `/v1/memory/decisions/${ids["decision"]}/chain`],
      ["GET", `/v1/memory/episodes/${ids["episode"]}/timeline`],
      ["GET", "/v1/memory/timeline"],
      ["GET", `/v1/memory/timeline?q=boat&entityId=${ids["entity"]}`],
      ["GET", "/v1/memory/timeline/counts?bucket=day&from=2025-01-01T00:00:00Z&to=2025-03-01T00:00:00Z"],
      ["GET", "/v1/graph?implied=true"],
      ["GET", `/v1/memory/entities/${ids["entity"]}/graph`],
      ["GET", `/v1/memory/entities/${ids["entity"]}/edges?implied=true`],
      ["POST", "/v1/memory/relations/traverse", { startIds: [ids["entity"]] }],
      ["GET", "/v1/session"],
      ["GET", `/v1/session/${ids["session"]}/turns`],
      ["GET", "/v1/memory/tasks"],
      ["GET", "/v1/memory/events"],
      ["GET", "/v1/memory/reasoning?q=boat"],
      ["GET", "/v1/memory/agents"],
      ["GET", "/v1/review"],
      ["GET", "/v1/memory/admin/stats"],
      ["POST", "/v1/memory/recall", { query: "Where does Caroline live?", asOf }],
      ["POST", "/v1/memory/recall", {
        query: "What colour is the boat?",
        knownAt: asOf,
        include: ["superseded", "neighbours"],
      }],
      ["POST", "/v1/memory/admin/export", {}],
      ["POST", "/v1/memory/admin/export", { asOf }],
    ];
    for (const [method, path, body] of reads) {
      const ask = async (one: TestService) =>
        shown(await one.call(method, path, { ...mine, ...(body !== undefined && { body }) }));
      const answer = await untilReplica(service, () => ask(service), path);
      const own = await ask(alone);
      assert.equal(own.status, 200, `${path} ${JSON.stringify(own.body)}`);
      assert.deepEqual(answer, own, path);
    }
    assert.deepEqual(Object.keys(await outcomesOf(service)), ["replica"], "no statement failed there");
    assert.deepEqual(await outcomesOf(alone), {}, "without a replica nothing is different");
    const requests = await waitFor("the reads are in the log", async () => {
      const rows = await pair.look(pair.primary, (sql) => sql`select event_type from svc_audit_log`);
      const types = rows.map((row) => row["event_type"]);
      return types.includes("read.exportMemory") || types.includes("export.ended") ? types : undefined;
    });
    assert.ok(requests.some((type) => type.startsWith("read.")), requests.join());
  },
});

/** What a reply shows, without when and how fast it was made, and without the sizes that statistics estimate. */
function shown({ status, body }: { readonly status: number; readonly body: unknown }) {
  const own = new Set(["durationMs", "traceId", "exportedAt", "sha256", "storage"]);
  if (typeof body === "object" && body !== null && "storage" in body) own.add("at");
  const text = typeof body === "string" ? body.trim().split("\n").map((line) => JSON.parse(line)) : body;
  return { status, body: JSON.parse(JSON.stringify(text, (name, value) => own.has(name) ? undefined : value)) };
}

Deno.test({
  ...POSTGRES,
  name:
    "a replica that is behind is not read: every read sees the newest write, and when it has caught up it answers again",
  async fn() {
    await using pair = await ReplicaPair.start();
    const logged: string[] = [];
    await using service = await pair.service({
      env: { SVC_LOG_LEVEL: "info" },
      logSink: (line) => void logged.push(typeof line === "string" ? line : JSON.stringify(line)),
    });
    await using other = await startService({ database: pair.database });
    await state(service, "The first fact.");
    await untilReplica(service, () => service.get(FACTS));
    await pair.pause();
    // However long the reads take, the replica shows a beat above the primary's: only its place in the log tells that it
    // is behind.
    await pair.look(pair.primary, (sql) => sql`update replica_mark set beat = beat - 1000000`);
    const before = (await outcomesOf(service))["replica"];
    // Also what another process has acknowledged.
    for (const [n, writer] of [service, other, service, other].entries()) {
      const statement = `Fact number ${n} is here.`;
      assert.equal((await writer.post(FACTS, { statement }, { key: service.key })).status, 201);
      assert.ok((await listed(service)).includes(statement));
    }
    const paused = await outcomesOf(service);
    assert.ok(paused["behind"]! >= 1, JSON.stringify(paused));
    assert.equal(paused["replica"], before, "it answers nobody");
    await untilResting(service);
    assert.equal(await stateOf(service), "behind");
    assert.ok(logged.some((line) => line.includes("replica.unused") && line.includes("behind")), logged.join("\n"));
    await pair.resume();
    const statements = await untilReplica(service, () => listed(service));
    assert.equal(statements.length, 5);
    assert.equal(await stateOf(service), "ok");
    assert.ok(logged.some((line) => line.includes("replica.used")));
  },
});

Deno.test({
  ...POSTGRES,
  name: "every read sees what was acknowledged right before it, while the replica answers and the log goes on",
  async fn() {
    await using pair = await ReplicaPair.start();
    await using service = await pair.service();
    await untilReplica(service, () => service.get(FACTS));
    for (let n = 0; n < 25; n++) {
      const ids = await Promise.all([0, 1, 2].map((k) => state(service, `Reading ${k} of round ${n} is ${n * k}.`)));
      const found = (await service.get(`${FACTS}?limit=3`)).body.data.map((fact: { id: string }) => fact.id);
      assert.deepEqual(found.sort(), ids.sort());
    }
    const outcomes = await outcomesOf(service);
    assert.ok(outcomes["replica"]! > 10, JSON.stringify(outcomes));
  },
});

Deno.test({
  ...POSTGRES,
  name: "T5 row-level security holds on the replica, and a replica that is read by a mightier role is not used",
  async fn() {
    await using pair = await ReplicaPair.start();
    await using service = await pair.service();
    await state(service, "The vault is below the stairs.");
    const secret = { statement: "The code of the vault is long.", sensitivity: "restricted" };
    assert.equal((await service.post(FACTS, secret)).status, 201);
    const low = await service.createKey({ maxSensitivity: "internal" });
    const stranger = await service.inNewWorkspace();
    assert.equal((await untilReplica(service, () => listed(service))).length, 2);
    assert.deepEqual(await untilReplica(service, () => listed(service, low)), ["The vault is below the stairs."]);
    assert.deepEqual(await untilReplica(service, () => listed(stranger)), []);

    const superuser = pair.standby.url(pair.database.name);
    await using mighty = await pair.service({ env: { SVC_DATABASE_REPLICA_URL: superuser } });
    assert.equal((await listed(mighty, service.key)).length, 2);
    assert.deepEqual(await listed(mighty, stranger.key), []);
    const { replica = 0, foreign = 0 } = await outcomesOf(mighty);
    assert.deepEqual([replica, foreign], [0, 1]);
    assert.equal(await stateOf(mighty), "foreign");
  },
});

Deno.test({
  ...POSTGRES,
  name: "a replica that dies under readers costs none of them its answer, and it is used again when it is back",
  async fn() {
    await using pair = await ReplicaPair.start();
    await using service = await pair.service();
    await state(service, "The first fact.");
    await untilReplica(service, () => service.get(FACTS));
    let stopping = false;
    let count = 0;
    const readers = [0, 1, 2, 3].map(async () => {
      while (!stopping) {
        assert.deepEqual(await listed(service), ["The first fact."]);
        count++;
      }
    });
    const dying = (async () => {
      try {
        await waitFor("some reads", () => count > 20);
        await pair.standby.kill();
        const before = count;
        await waitFor("reads without it", () => count > before + 20);
        assert.equal(await stateOf(service), "unavailable");
        await pair.standby.start();
        await untilReplica(service, () => service.get(FACTS));
      } finally {
        stopping = true;
      }
    })();
    await Promise.all([dying, ...readers]);
    assert.ok((await outcomesOf(service))["unavailable"]! >= 1);
  },
});

Deno.test({
  ...POSTGRES,
  name: "a replica that swallows everything delays a read by a second, and the next ones not at all",
  async fn() {
    await using pair = await ReplicaPair.start();
    await using relay = startRelay({ hostname: "127.0.0.1", port: pair.standby.port });
    await using service = await pair.service({
      env: {
        SVC_DATABASE_REPLICA_URL: atPort(pair.database.requestUrl, relay.port),
        // Whatever else could end the wait comes long after the test has given up.
        SVC_DB_DEADLINE_MS: "600000",
        SVC_DB_CONNECT_TIMEOUT_SECONDS: "60",
      },
    });
    await state(service, "The first fact.");
    await untilReplica(service, () => service.get(FACTS));
    relay.freeze();
    try {
      for (let n = 0; n < 4; n++) {
        assert.equal((await within("a read", listed(service))).length, 1);
      }
      await untilResting(service);
      const { unavailable = 0 } = await outcomesOf(service);
      assert.ok(unavailable >= 3, `${unavailable}`);
    } finally {
      relay.thaw();
    }
    await untilReplica(service, () => service.get(FACTS));
  },
});

Deno.test({
  ...POSTGRES,
  name: "a replica that was promoted is not read any more, nor is one that follows it",
  async fn() {
    await using pair = await ReplicaPair.start();
    const follower = await pair.addStandby(pair.standby);
    await using service = await pair.service();
    await using astray = await pair.service({
      env: { SVC_DATABASE_REPLICA_URL: atPort(pair.database.requestUrl, follower.port) },
    });
    await state(service, "The first fact.");
    const mine = { key: service.key };
    await untilReplica(service, () => service.get(FACTS));
    await untilReplica(astray, () => astray.get(FACTS, mine));
    await pair.standby.promote();
    // The other history, far ahead of this one.
    await pair.look(pair.standby, async (sql) => {
      await sql`update unit set body = body || '{"statement": "It never happened."}'`;
      await sql`create table ballast as select repeat('x', 100) from generate_series(1, 100000)`;
    });
    await waitFor(
      "the other server follows the promoted one",
      () => pair.look(follower, async (sql) => (await sql`select to_regclass('ballast') as t`)[0]!["t"] !== null),
    );
    // The mark of the primary is at most a second old.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    for (let n = 0; n < 3; n++) {
      assert.deepEqual(await listed(service), ["The first fact."]);
      assert.deepEqual(await listed(astray, service.key), ["The first fact."]);
    }
    assert.equal(await stateOf(service), "promoted");
    assert.equal(await stateOf(astray), "foreign");
    assert.ok((await outcomesOf(service))["promoted"]! >= 1);
    assert.ok((await outcomesOf(astray))["foreign"]! >= 1);
  },
});

Deno.test({
  ...POSTGRES,
  name: "a read that the replica cancels, because it must replay what removes its rows, runs on the primary once",
  async fn() {
    await using pair = await ReplicaPair.start();
    await using service = await pair.service();
    await pair.look(pair.standby, async (sql) => {
      await sql`alter system set max_standby_streaming_delay = 0`;
      await sql`select pg_reload_conf()`;
    });
    await untilReplica(service, () => service.get(FACTS));
    await pair.look(pair.primary, (sql) => sql`create table doomed as select generate_series(1, 1000) as n`);
    await pair.look(pair.primary, (sql) => sql`grant select on doomed to svc_app`);
    const scope = { workspaceId: service.workspaceId, maxSensitivity: "public", actor: "key:test" } as const;
    const servers: boolean[] = [];
    const began = Promise.withResolvers<void>();
    const reading = service.deps.db.tx(scope, async ({ sql }) => {
      const [row] = await sql`select pg_is_in_recovery() as "isReplica"`;
      const isReplica = row!["isReplica"] as boolean;
      servers.push(isReplica);
      began.resolve();
      await sql`select count(*) from doomed where ${isReplica} and pg_sleep(0.02) is not null`;
      return isReplica;
    }, { readOnly: true, fromReplica: true, deadlineMs: 40_000 });
    reading.catch(() => {});
    await began.promise;
    await pair.look(pair.primary, async (sql) => {
      await sql`delete from doomed`;
      await sql`vacuum doomed`;
    });
    assert.equal(await reading, false);
    assert.deepEqual(servers, [true, false]);
    assert.equal((await outcomesOf(service))["conflict"], 1);
  },
});
