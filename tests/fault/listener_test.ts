/** Notifications that were lost: after Postgres or the listening backend died, every process catches up. F2, F10, T15. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { findServerPrograms, NativePostgres } from "../../scripts/gate/native_postgres.ts";
import { parseApiKey } from "../../src/crypto/api_key.ts";
import * as access from "../../src/domain/access/authorize.ts";
import { activityOf } from "../../src/domain/common/activity.ts";
import * as admins from "../../src/domain/access/admin/admins.ts";
import { createTestAdmin, systemOperator } from "../_admin.ts";
import { createDatabase, POSTGRES, type TestDatabase } from "../_postgres.ts";
import { REDIS, startRedisFront } from "../_redis.ts";
import { startRelay } from "../_relay.ts";
import { StreamClient } from "../http/_stream.ts";
import { startService, type TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { WAYS } from "../_pgbouncer.ts";
import { revokeApiKey } from "../../src/domain/access/admin/api_keys.ts";

async function revoke(service: TestService, key: string): Promise<void> {
  const publicId = parseApiKey(key)!.publicId;
  const listed = await access.listApiKeys(service.operator());
  await revokeApiKey(service.operator(), listed.find((row) => row.publicId === publicId)!.keyId);
}

async function addTurn(service: TestService, content: string): Promise<void> {
  const session = await service.post("/v1/session", { title: "Notes" });
  assert.equal(session.status, 201, JSON.stringify(session.body));
  const turn = await service.post(`/v1/session/${session.body.id}/turns`, { role: "user", messageId: "m", content });
  assert.equal(turn.status, 201, JSON.stringify(turn.body));
}

async function recallHot(service: TestService, key: string, query: string): Promise<string> {
  const reply = await service.post("/v1/memory/recall/hot", { query, types: ["turn"] }, { key });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return JSON.stringify(reply.body.results);
}

/** A relay to a database that tells which of its connections listen, and can hold back what passes on them. */
function relayTo(database: TestDatabase, stack: AsyncDisposableStack) {
  const { hostname, port } = new URL(database.requestUrl);
  const relay = stack.use(startRelay({ hostname, port: Number(port) }));
  const listeners = new Set<number>();
  let held: Promise<void> | undefined;
  relay.onPiece = async ({ connection, direction, bytes }) => {
    if (direction === "up" && /listen "?svc_/i.test(new TextDecoder().decode(bytes))) listeners.add(connection);
    if (listeners.has(connection)) await held;
  };
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    return resolve;
  };
  return { relay, listeners, hold };
}

/** Two processes' worth of service on one database, and a key of the first one's workspace that both know. */
async function startTwo(stack: AsyncDisposableStack, database: TestDatabase) {
  const near = stack.use(await startService({ database }));
  const far = stack.use(await startService({ database }));
  const key = await near.createKey();
  await addTurn(near, "The heliograph stands on the northern terrace.");
  for (const service of [near, far]) {
    assert.match(await recallHot(service, key, "Where is the heliograph?"), /northern/);
  }
  return { near, far, key };
}

/** What was written and revoked on one side holds on the other. */
async function assertHears(near: TestService, far: TestService, key: string): Promise<void> {
  await waitFor("the new turn", async () => /eastern/.test(await recallHot(far, key, "Where is the sundial?")));
  await revoke(near, key);
  await waitFor("the revocation", async () => (await far.get("/v1/session", { key })).status === 401);
}

Deno.test({
  ignore: await findServerPrograms() === undefined,
  name:
    "F2 after Postgres was killed and restarted, what one service writes and revokes reaches the other and its streams",
  async fn() {
    await using stack = new AsyncDisposableStack();
    const cluster = stack.use(await NativePostgres.start({ durable: true }));
    // Not disposed of: it goes with its cluster.
    const database = await createDatabase({ cluster: cluster.url() });
    const { near, far, key } = await startTwo(stack, database);
    const client = stack.use(await StreamClient.open(far.listen().url, { key: near.key }));
    await client.subscribe("memory");
    await cluster.kill();
    assert.equal((await near.get("/v1/session")).status, 503);
    await cluster.start();
    await waitFor("readiness", async () => (await near.get("/health/ready")).status === 200);
    await waitFor("readiness of the other", async () => (await far.get("/health/ready")).status === 200);
    await addTurn(near, "The sundial stands on the eastern lawn.");
    await assertHears(near, far, key);
    // The stream was not broken off, and goes on from its place.
    const kinds = () => client.events("memory").map(({ event }) => event.kind);
    await waitFor("the turn on the stream", () => kinds().includes("turn.created"));
    assert.deepEqual(kinds(), ["session.created", "turn.created"]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "F10 T15 what is written and revoked while a process does not listen holds there as soon as it listens again",
  async fn() {
    await using stack = new AsyncDisposableStack();
    const database = stack.use(await createDatabase());
    const near = stack.use(await startService({ database }));
    const { relay, listeners, hold } = relayTo(database, stack);
    const requestUrl = new URL(database.requestUrl);
    requestUrl.port = `${relay.port}`;
    // Its clock stands: nothing that was verified expires by itself.
    const now = new Date();
    const far = stack.use(
      await startService({ database: { ...database, requestUrl: requestUrl.href }, clock: () => now }),
    );
    await waitFor("the far one to listen", () => listeners.size > 0);
    const key = await near.createKey();
    const admin = await createTestAdmin(near);
    const heard: string[] = [];
    activityOf(far.deps).follow({
      noteMove: (workspaceId, seq, isOwn) => void heard.push(`${workspaceId} ${seq > 0} ${isOwn}`),
      noteUse: () => {},
      noteGap: () => void heard.push("gap"),
    });
    await addTurn(near, "The heliograph stands on the northern terrace.");
    await waitFor(
      "the loops of the far one to know of the turn",
      () => heard.includes(`${near.workspaceId} true false`),
    );
    await waitFor("the first turn", async () => /northern/.test(await recallHot(far, key, "Where is the heliograph?")));
    assert.equal((await far.get("/v1/admin/workspaces", { key: admin.key })).status, 200);

    const listenAgain = hold();
    for (const connection of listeners) relay.cut(connection);
    await addTurn(near, "The sundial stands on the eastern lawn.");
    await revoke(near, key);
    await admins.disableAdmin(systemOperator(near), admin.name);
    heard.length = 0;
    listenAgain();
    await waitFor("the loops of the far one to look for what it missed", () => heard.includes("gap"));
    await waitFor("the new turn", async () => /eastern/.test(await recallHot(far, near.key, "Where is the sundial?")));
    await waitFor("the revocation", async () => (await far.get("/v1/session", { key })).status === 401);
    const isDisabled = async () => (await far.get("/v1/admin/workspaces", { key: admin.key })).status === 401;
    await waitFor("the end of the admin", isDisabled);
  },
});

for (const way of WAYS) {
  Deno.test({
    ignore: way.ignore,
    name:
      `F10 a stream whose service's listening backend is killed again and again misses nothing and repeats nothing, and ends when its key is revoked elsewhere${way.suffix}`,
    async fn() {
      await using stack = new AsyncDisposableStack();
      const database = stack.use(await way.createDatabase());
      const near = stack.use(await startService({ database }));
      const far = stack.use(await startService({ database }));
      const sql = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
      stack.defer(() => sql.end({ timeout: 5 }));
      const key = await near.createKey();
      const client = stack.use(await StreamClient.open(far.listen().url, { key }));
      assert.equal((await client.subscribe("events")).op, "subscribed");
      const written: string[] = [];
      for (let round = 0; round < 4; round++) {
        const killed = await sql`
        select pg_terminate_backend(pid, 10000) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and query ilike 'listen %'`;
        assert.equal(killed.length, 2);
        // Nobody listens when these are written, and nothing is written after that could wake the stream.
        const events = [0, 1].map((n) => ({ type: "tool.called", data: { round, n } }));
        const reply = await near.post("/v1/memory/events/batch", { events });
        assert.equal(reply.status, 201, JSON.stringify(reply.body));
        written.push(...reply.body.data.map(({ id }: { id: string }) => id));
        await waitFor("what was written", () => client.events("events").length >= written.length);
        await waitFor("listeners", async () => {
          const rows = await sql`
          select from pg_stat_activity where datname = current_database() and query ilike 'listen %' and pid <> pg_backend_pid()`;
          return rows.length === 2;
        });
      }
      assert.deepEqual(client.events("events").map(({ event }) => event.resourceId), written);
      await revoke(near, key);
      assert.deepEqual(await client.closed, { code: 1008, reason: "unauthenticated" });
    },
  });
}

Deno.test({
  ignore: POSTGRES.ignore || REDIS.ignore,
  name:
    "T15 a service that is cut off from the notifications and from Redis says that it is deaf, refuses what was revoked meanwhile, and hears again when it can",
  async fn() {
    await using stack = new AsyncDisposableStack();
    const database = stack.use(await createDatabase());
    const near = stack.use(await startService({ database }));
    const redis = stack.use(await startRedisFront());
    const { relay, listeners, hold } = relayTo(database, stack);
    const requestUrl = new URL(database.requestUrl);
    requestUrl.port = `${relay.port}`;
    const frozen = new Date();
    const far = stack.use(
      await startService({
        database: { ...database, requestUrl: requestUrl.href },
        // So that no verification of a key is too old.
        clock: () => frozen,
        env: { SVC_UPSTASH_REDIS_REST_URL: redis.url, SVC_UPSTASH_REDIS_REST_TOKEN: redis.token },
      }),
    );
    assert.equal(listeners.size, 1);
    assert.equal((await far.get("/health/ready", { key: null })).status, 200);
    const key = await near.createKey();
    assert.equal((await far.get("/v1/session", { key })).status, 200);
    await redis[Symbol.asyncDispose]();
    const listenAgain = hold();
    await revoke(near, key);
    assert.equal((await near.get("/v1/session", { key })).status, 401);
    await waitFor("the refusal", async () => (await far.get("/v1/session", { key })).status === 401);
    const { body } = await far.get("/health/ready", { key: null });
    assert.equal(body.checks.notifications, "deaf");
    assert.match((await far.get("/metrics", { key: null })).body, /^svc_notifications_heard 0$/m);
    const another = await near.createKey();
    assert.equal((await far.get("/v1/session", { key: another })).status, 200);
    await revoke(near, another);
    await waitFor("the refusal while it is deaf", async () => {
      return (await far.get("/v1/session", { key: another })).status === 401;
    });
    assert.equal((await far.get("/v1/session", { key: near.key })).status, 200, "another key is not concerned");
    listenAgain();
    await waitFor("hearing", async () => {
      return (await far.get("/health/ready", { key: null })).body.checks.notifications === undefined;
    });
    assert.match((await far.get("/metrics", { key: null })).body, /^svc_notifications_heard 1$/m);
  },
});
