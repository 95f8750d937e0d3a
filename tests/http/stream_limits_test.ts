/** Bounds of live feeds: slow readers, floods, their number, the memory that they hold. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { waitFor, within } from "../_wait.ts";
import { scrape, valueOf } from "./_metrics.ts";
import { idsOf, recordEvents, seqsOf, StalledClient, StreamClient } from "./_stream.ts";
import { streamsOf } from "../../src/domain/feed/streams.ts";
import { openStreamSocket } from "../../src/http/stream_socket.ts";

/** Changes that nobody wrote, each some 2 KB as a message. */
async function fillFeed(service: TestService, count: number): Promise<void> {
  await service.operator().tx(async ({ sql, workspaceId, now }) => {
    await sql`
      insert into change (workspace_id, seq, kind, resource_type, resource_id, version, sensitivity, actor, recorded_at,
                          payload)
      select ${workspaceId}, n, 'event.recorded', 'event', ${crypto.randomUUID()}, 1, 'internal', 'cli', ${now},
             jsonb_build_object('note', repeat('x', 2000))
        from generate_series(1, ${count}) n`;
    await sql`insert into feed_head (workspace_id, seq) values (${workspaceId}, ${count})`;
  });
}

Deno.test({
  ...POSTGRES,
  name: "T56 a reader that takes nothing is cut off with 4008 while nothing piles up; from its cursor it gets the rest",
  async fn() {
    await using service = await startService({ env: { SVC_STREAMS_PER_KEY_MAX: "1" } });
    const { url } = service.listen();
    const { endCursor: since } = (await service.get("/v1/memory/changes")).body;
    const behind = 6_000;
    await fillFeed(service, behind);
    const key = await service.createKey({ scopes: ["memory:read", "tasks:read"] });
    const last = { seq: 0, cursor: "" };
    {
      using stalled = await StalledClient.open(url, key);
      await stalled.send({ op: "subscribe", channel: "events", since });
      // It is cut off once more than a thousand changes come while it takes nothing.
      await waitFor("the end of the stream", async () => {
        await recordEvents(service, service.key, 500);
        return valueOf(await scrape(service), "svc_streams_ended_total", { reason: "too_slow" }) === 1;
      });
      // Until its connection is closed it counts, so that nobody can have more of them than of streams.
      await assert.rejects(StreamClient.open(url, { key }));
      const { messages, closed } = await stalled.readAll();
      assert.deepEqual(closed, { code: 4008, reason: "rate_limited" });
      assert.deepEqual([messages[0].op, messages.at(-1).code], ["subscribed", "rate_limited"]);
      const told = seqsOf(messages.slice(1, -1));
      assert.deepEqual(told, told.map((_, n) => n + 1));
      assert.ok(told.length < behind, "not more than the connection takes was sent");
      Object.assign(last, { seq: told.length, cursor: messages.at(-2).cursor });
    }
    await waitFor("the end of the connection", () => streamsOf(service.deps).sizes().open === 0);
    await using client = await StreamClient.open(url, { key });
    await client.subscribe("events", last.cursor);
    const { changeSeq } = (await service.get("/v1/memory/health")).body;
    await waitFor("the rest", () => client.events("events").length === changeSeq - last.seq);
    assert.deepEqual(seqsOf(client.events("events")), client.events("events").map((_, n) => last.seq + 1 + n));
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T56 what no client sends ends its stream: frames that are binary, long or a flood; a thousand messages are answered",
  async fn() {
    await using service = await startService();
    const { url } = service.listen();
    const cases: [unknown, number][] = [[new Uint8Array([1]), 1003], ["x".repeat(4_097), 1009]];
    for (const [message, code] of cases) {
      await using client = await StreamClient.open(url, { key: service.key });
      client.send(message);
      assert.deepEqual(await client.closed, { code, reason: "invalid_request" });
      assert.equal(client.messages.at(-1).op, "error");
    }
    await using flood = await StreamClient.open(url, { key: service.key });
    for (let n = 0; n < 1_000; n++) flood.send({ op: "subscribe", channel: "memory" });
    await flood.closed;
    assert.ok(flood.messages.length < 200, "the rest was not even read");

    await using patient = await StreamClient.open(url, { key: service.key });
    for (let n = 0; n < 1_000; n += 50) {
      for (let i = 0; i < 50; i++) patient.send({ op: "subscribe", channel: "memory" });
      await waitFor("the answers", () => patient.messages.length === n + 50);
    }
    assert.deepEqual(patient.messages.map(({ op }) => op), ["subscribed", ...Array(999).fill("error")]);

    const limited = await service.createKey({ rateLimit: { perMinute: 1, burst: 4 } });
    await using client = await StreamClient.open(url, { key: limited });
    for (let n = 0; n < 3; n++) assert.equal((await client.ask({ op: "ping" })).op, "pong");
    assert.equal((await client.ask({ op: "ping" })).code, "rate_limited");
  },
});

Deno.test({
  ...POSTGRES,
  name: "T56 a key and a process have so many streams open and no more; a stream that was closed makes room",
  async fn() {
    await using service = await startService({ env: { SVC_STREAMS_MAX: "3", SVC_STREAMS_PER_KEY_MAX: "2" } });
    const { url } = service.listen();
    const upgrade = { connection: "Upgrade", upgrade: "websocket" };
    const other = await service.createKey();
    await using first = await StreamClient.open(url, { key: service.key });
    {
      await using _ = await StreamClient.open(url, { key: service.key });
      const refused = await service.get("/v1/stream", { headers: upgrade });
      assert.deepEqual([refused.status, refused.body.code], [429, "rate_limited"]);
      await using _third = await StreamClient.open(url, { key: other });
      const full = await service.get("/v1/stream", { key: other, headers: upgrade });
      assert.deepEqual([full.status, full.body.code], [503, "unavailable"]);
      assert.equal(valueOf(await scrape(service), "svc_streams_open", {}), 3);
    }
    await waitFor("room", () => streamsOf(service.deps).sizes().open === 1);
    await using again = await StreamClient.open(url, { key: service.key });
    assert.equal((await again.ask({ op: "ping" })).op, "pong");
    assert.equal((await first.ask({ op: "ping" })).op, "pong");
  },
});

/** Serves on a loopback port; `onGone` is called if the connection of a request has ended before its reply was sent. */
function serveWatched(handle: Deno.ServeHandler, onGone: () => void): { readonly url: string } & AsyncDisposable {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request, info) => {
    request.signal.addEventListener("abort", onGone, { once: true });
    return handle(request, info);
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => within("the server shuts down", server.shutdown()),
  };
}

Deno.test({
  ...POSTGRES,
  name: "T56 a client that hangs up while its key is looked up leaves no stream behind",
  async fn() {
    await using service = await startService({ env: { SVC_STREAMS_PER_KEY_MAX: "1" } });
    const open = () => streamsOf(service.deps).sizes().open;
    const gone = Promise.withResolvers<void>();
    await using server = serveWatched(service.service.fetch, gone.resolve);
    assert.equal((await service.get("/v1/whoami")).status, 200);
    const sql = postgres(service.database!.superuserUrl, { max: 1, onnotice: () => {} });
    await using _ = { [Symbol.asyncDispose]: () => sql.end({ timeout: 5 }) };
    await sql.begin(async (lock) => {
      await lock`lock table api_key`;
      {
        using _client = await StalledClient.open(server.url, service.key);
        await waitFor("its key is looked up", () => open() === 1);
      }
      await gone.promise;
    });
    await waitFor("the place is free", () => open() === 0);
    await using client = await StreamClient.open(server.url, { key: service.key });
    assert.equal((await client.ask({ op: "ping" })).op, "pong");
  },
});

Deno.test({
  ...POSTGRES,
  name: "T56 a client that hangs up in the very moment of the upgrade leaves no stream behind",
  // Deno does not finish such an upgrade.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await using service = await startService();
    const ctx = service.operator();
    const open = () => streamsOf(service.deps).sizes().open;
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const [sending, receiving] = await Promise.all([
      Deno.connect({ hostname: "127.0.0.1", port: (listener.addr as Deno.NetAddr).port }),
      listener.accept(),
    ]);
    using _sending = sending;
    using _receiving = receiving;
    const asked = Promise.withResolvers<void>();
    let upgradedFirst = false;
    const gone = Promise.withResolvers<void>();
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
      request.signal.addEventListener("abort", () => gone.resolve());
      asked.resolve();
      await receiving.read(new Uint8Array(1));
      const response = await openStreamSocket(ctx, request);
      upgradedFirst = !request.signal.aborted;
      return response;
    });
    const client = await StalledClient.open(`http://127.0.0.1:${server.addr.port}`, service.key);
    await asked.promise;
    // Both arrive in one turn of the event loop, in this order: a byte to continue, and the end of the connection.
    sending.write(new Uint8Array(1));
    client[Symbol.dispose]();
    await gone.promise;
    assert.ok(upgradedFirst);
    await waitFor("the place is free", () => open() === 0);
  },
});

Deno.test({
  ...POSTGRES,
  name: "F5 streams that wait hold no connection and no transaction: with one connection for all, requests have it",
  async fn() {
    await using service = await startService({ env: { SVC_DB_POOL_MAX: "1" } });
    const { url } = service.listen();
    await using stack = new AsyncDisposableStack();
    const clients: StreamClient[] = [];
    for (let n = 0; n < 20; n++) {
      const client = stack.use(await StreamClient.open(url, { key: service.key }));
      assert.equal((await client.subscribe("events")).op, "subscribed");
      clients.push(client);
    }
    const sql = postgres(service.database!.superuserUrl, { max: 1, onnotice: () => {} });
    stack.defer(() => sql.end({ timeout: 5 }));
    await waitFor("no transaction", async () => {
      const open = await sql`
        select from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`;
      return open.length === 0;
    });
    const ids = [...await recordEvents(service, service.key, 3), ...await recordEvents(service, service.key, 3)];
    await waitFor("all events on all streams", () => clients.every((client) => client.events("events").length >= 6));
    for (const client of clients) assert.deepEqual(idsOf(client.events("events")), ids);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "F10 streams at the same place read once; one that comes while others read looks for itself, and misses nothing",
  async fn() {
    await using service = await startService();
    const { reader } = streamsOf(service.deps);
    const scope = { workspaceId: service.workspaceId, maxSensitivity: "internal" } as const;
    const sql = postgres(service.database!.superuserUrl, { max: 2, onnotice: () => {} });
    await using _ = { [Symbol.asyncDispose]: () => sql.end({ timeout: 5 }) };
    await sql.begin(async (lock) => {
      await lock`lock table change`;
      const first = reader.read(scope, 0);
      assert.equal(reader.read(scope, 0), first);
      await waitFor("it has looked where the feed ends", async () => {
        // Databases of other tests are copies of the same template, so their tables have the same numbers.
        const waiting = await sql`
          select from pg_locks where relation = 'change'::regclass and not granted
             and database = (select oid from pg_database where datname = current_database())`;
        return waiting.length === 1;
      });
      const second = reader.read(scope, 0);
      assert.notEqual(second, first);
      await lock`rollback`;
      assert.deepEqual(await second, await first);
    });
  },
});
