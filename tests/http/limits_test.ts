/** Restrictions of a key: addresses and rate. docs/reference/guarantees.md T20. */
import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { readReply, type Reply, startService, type TestService } from "../_service.ts";
import { REDIS, startRedisFront } from "../_redis.ts";
import { waitFor, within } from "../_wait.ts";
import { parseApiKey } from "../../src/crypto/api_key.ts";
import { listApiKeys } from "../../src/domain/access/authorize.ts";
import { callRpc, clientOf } from "../rpc/_client.ts";
import { requestLoadOf } from "../../src/domain/access/request_load.ts";
import { auditTrailOf } from "../../src/domain/audit/trail.ts";
import { streamsOf } from "../../src/domain/feed/streams.ts";

interface SendOptions {
  readonly from?: string | undefined;
  readonly headers?: Record<string, string>;
  readonly path?: string;
}

/** A request as it arrives from a TCP peer. */
async function send(service: TestService, key: string, options: SendOptions = {}): Promise<Reply> {
  const headers = new Headers({ ...options.headers, authorization: `Bearer ${key}` });
  const request = new Request(`http://svc.test${options.path ?? "/v1/session"}`, { headers });
  const info = options.from === undefined
    ? undefined
    : { remoteAddr: { transport: "tcp", hostname: options.from, port: 1 }, completed: Promise.resolve() };
  return readReply(await service.service.fetch(request, info as Deno.ServeHandlerInfo));
}

Deno.test({
  ...POSTGRES,
  name: "T20 a key with ranges works from inside them and nowhere else, and fails closed",
  async fn() {
    await using service = await startService();
    const key = await service.createKey({ cidrs: ["192.0.2.0/24", "2001:db8::/32"] });
    for (const from of ["192.0.2.7", "::ffff:192.0.2.7", "2001:db8::1"]) {
      assert.equal((await send(service, key, { from })).status, 200, from);
    }
    for (const from of ["192.0.3.7", "2001:db9::1", "127.0.0.1", undefined]) {
      const reply = await send(service, key, { from });
      assert.equal(reply.status, 403, from ?? "no address");
      assert.equal(reply.body.code, "ip_not_allowed");
    }
    const spoofed = await send(service, key, { from: "198.51.100.1", headers: { "x-forwarded-for": "192.0.2.7" } });
    assert.equal(spoofed.status, 403, "a caller cannot say where it is");
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T20 over a real connection from an address beside the range: 403, and a row in the audit log that says from where",
  async fn() {
    await using service = await startService();
    const key = await service.createKey({ cidrs: ["127.0.0.1/32"] });
    const { url } = service.listen();
    const from = async (localAddress: string, forwarded?: string) => {
      using client = Deno.createHttpClient({ localAddress });
      const headers = { authorization: `Bearer ${key}`, ...(forwarded && { "x-forwarded-for": forwarded }) };
      return await readReply(await fetch(`${url}/v1/session`, { client, headers }));
    };
    assert.equal((await from("127.0.0.1")).status, 200);
    for (const forwarded of [undefined, "127.0.0.1", "::ffff:127.0.0.1", "0177.0.0.1", "2130706433"]) {
      const reply = await from("127.0.0.2", forwarded);
      assert.deepEqual([reply.status, reply.body.code], [403, "ip_not_allowed"], forwarded ?? "no header");
      await auditTrailOf(service.deps).flush();
      const { body } = await service.get(`/v1/audit?requestId=${reply.body.requestId}`);
      const rows = body.data.map((
        row: Record<string, unknown>,
      ) => [row["event_type"], row["outcome"], row["ip_address"]]);
      assert.deepEqual(rows, [["refused.listSessions", "ip_not_allowed", "127.0.0.2"]]);
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "T20 behind the trusted proxy the last entry of X-Forwarded-For is the address",
  async fn() {
    await using service = await startService({ env: { SVC_TRUSTED_PROXY_IP: "10.0.0.5" } });
    const key = await service.createKey({ cidrs: ["192.0.2.0/24"] });
    const behind = (entries: string, from = "10.0.0.5") =>
      send(service, key, { from, headers: { "x-forwarded-for": entries } });
    assert.equal((await behind("10.0.0.5, 192.0.2.7")).status, 200);
    assert.equal((await behind("192.0.2.7, 198.51.100.1")).status, 403);
    assert.equal((await behind("10.0.0.5, 192.0.2.7", "10.0.0.6")).status, 403, "another proxy");
  },
});

Deno.test({
  ...POSTGRES,
  name: "a key's rate is limited with the standard headers, and comes back with time",
  async fn() {
    let now = new Date("2026-03-01T12:00:00Z");
    await using service = await startService({ clock: () => now });
    const key = await service.createKey({ rateLimit: { perMinute: 60, burst: 3 } });
    const first = await send(service, key);
    const others =
      '"concurrent";q=32;qu="concurrent-requests", "workspace-concurrent";q=64;qu="concurrent-requests", ' +
      '"workspace-heavy";q=2;qu="concurrent-requests"';
    assert.equal(first.headers.get("ratelimit-policy"), `"minute";q=60;w=60, "burst";q=3;w=3, ${others}`);
    const left = '"concurrent";r=32, "workspace-concurrent";r=64, "workspace-heavy";r=2';
    assert.equal(first.headers.get("ratelimit"), `"burst";r=2;t=1, ${left}`);
    await send(service, key);
    await send(service, key);
    const limited = await send(service, key);
    assert.equal(limited.status, 429);
    assert.equal(limited.body.code, "rate_limited");
    assert.equal(limited.body.retryable, true);
    assert.equal(limited.headers.get("retry-after"), "1");
    assert.equal(limited.headers.get("ratelimit"), '"burst";r=0;t=3');
    assert.equal(limited.headers.get("ratelimit-policy"), '"minute";q=60;w=60, "burst";q=3;w=3');
    assert.equal((await send(service, service.key)).status, 200, "another key is not concerned");
    now = new Date(now.getTime() + 1_000);
    assert.equal((await send(service, key)).status, 200);
    assert.equal((await send(service, key)).status, 429);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "heavy operations cost what they do: a batch a token for each query, a graph five, and a small burst is no wall",
  async fn() {
    const now = new Date("2026-03-01T12:00:00Z");
    await using service = await startService({ clock: () => now });
    const key = await service.createKey({ rateLimit: { perMinute: 60, burst: 20 } });
    const left = (reply: Reply) => Number(/"burst";r=(\d+)/.exec(reply.headers.get("ratelimit") ?? "")?.[1]);
    const batch = (queries: number, of = key) =>
      service.post("/v1/memory/recall/batch", { queries: Array(queries).fill({ query: "a lamp" }) }, { key: of });
    assert.equal(left(await batch(8)), 12);
    const beyond = await batch(14);
    assert.deepEqual([beyond.status, beyond.body.code, beyond.headers.get("retry-after")], [429, "rate_limited", "2"]);
    assert.equal(left(await service.get("/v1/graph", { key })), 6, "a token for the batch that was refused, and five");
    const writer = await service.createKey({ rateLimit: { perMinute: 60, burst: 20 } });
    const turns = (count: number) => Array(count).fill({ role: "user", content: "A lamp.", messageId: "m" });
    const events = (count: number) => ({ events: Array(count).fill({ type: "lamp.lit" }) });
    const { body: { id } } = await service.post("/v1/session", {});
    const add = async (path: string, body: object) => left(await service.post(path, body, { key: writer }));
    assert.equal(await add(`/v1/session/${id}/turns`, turns(1)[0]), 19, "one turn is one request");
    assert.equal(await add(`/v1/session/${id}/turns`, { turns: turns(201) }), 16);
    assert.equal(await add("/v1/memory/events/batch", events(100)), 15);
    assert.equal(await add("/v1/memory/events/batch", events(500)), 10);
    const small = await service.createKey({ rateLimit: { perMinute: 60, burst: 3 } });
    assert.equal((await service.get("/v1/graph", { key: small })).status, 200);
    assert.equal((await service.get("/v1/session", { key: small })).status, 429);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "who has too many requests under way waits for a turn or is refused; other keys, light requests and streams are not hindered",
  async fn() {
    await using service = await startService({
      env: {
        SVC_REQUESTS_PER_KEY_MAX: "2",
        SVC_REQUESTS_PER_WORKSPACE_MAX: "0",
        SVC_HEAVY_PER_WORKSPACE_MAX: "1",
        SVC_REQUESTS_WAIT_MS: "50",
      },
    });
    const other = await service.createKey();
    /** A request that is under way until its body is ended. */
    const begin = () => {
      const body = new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>();
      const headers = { authorization: `Bearer ${service.key}`, "content-type": "application/json" };
      const url = "http://svc.test/v1/session";
      const reply = service.service.fetch(new Request(url, { method: "POST", headers, body: body.readable }));
      const writer = body.writable.getWriter();
      return async () => {
        await within("the body is read", writer.write(new TextEncoder().encode("{}")));
        await writer.close();
        assert.equal((await readReply(await reply)).status, 201);
      };
    };
    const sent = Promise.withResolvers<void>();
    const pieces = async function* () {
      await sent.promise;
      yield { item: { case: "fact" as const, value: { statement: "A lamp." } } };
    };
    using _ = { [Symbol.dispose]: () => sent.resolve() };
    const ingest = clientOf(service).ingestBatch(pieces());
    ingest.catch(() => {});
    await waitFor("the stream", () => streamsOf(service.deps).sizes().open === 1);
    const ends = [begin(), begin()];
    const third = await service.get("/v1/session");
    assert.deepEqual([third.status, third.body.code, third.headers.get("retry-after")], [429, "rate_limited", "1"]);
    assert.match(third.headers.get("ratelimit") ?? "", /"concurrent";r=0/);
    assert.equal((await service.get("/v1/session", { key: other })).status, 200);
    for (const end of ends) await end();
    assert.equal((await service.get("/v1/session")).status, 200);
    sent.resolve();
    await within("the summary", ingest);

    const owner = { actor: "key:another", workspaceId: service.workspaceId };
    const heavy = await requestLoadOf(service.deps).enterHeavy(owner, new AbortController().signal);
    const refused = await service.get("/v1/graph");
    assert.deepEqual([refused.status, refused.body.code], [429, "rate_limited"]);
    const record = (count: number) =>
      service.post("/v1/memory/events/batch", { events: Array(count).fill({ type: "lamp.lit" }) });
    assert.deepEqual([(await record(101)).status, (await record(100)).status], [429, 201], "heavy by its size");
    assert.equal((await service.post("/v1/memory/recall", { query: "a lamp" })).status, 200);
    heavy[Symbol.dispose]();
    await exportTakesTurns(service);
    for (let i = 0; i < 3; i++) assert.equal((await service.get("/v1/graph")).status, 200, "its turn came back");
  },
});

/** With one heavy request at a time, each page of an export waits for its turn, and a paused reader holds none. */
async function exportTakesTurns(service: TestService): Promise<void> {
  const headers = { authorization: `Bearer ${service.key}` };
  const reply = await service.service.fetch(new Request("http://svc.test/v1/export", { headers }));
  assert.equal(reply.status, 200);
  assert.equal((await service.get("/v1/graph")).status, 200, "nobody reads the export yet");
  const owner = { actor: "key:another", workspaceId: service.workspaceId };
  const heavy = await requestLoadOf(service.deps).enterHeavy(owner, new AbortController().signal);
  let isRead = false;
  const text = reply.body!.pipeThrough(new TransformStream({ transform: (c, to) => (isRead = true, to.enqueue(c)) }));
  const file = new Response(text).text();
  // The file's head is there at once, so it would come before these.
  for (let i = 0; i < 3; i++) assert.equal((await service.get("/v1/session")).status, 200);
  const wasRead = isRead;
  heavy[Symbol.dispose]();
  const lines = (await within("the export", file)).trim().split("\n");
  assert.equal(JSON.parse(lines.at(-1)!).kind, "end");
  assert.equal(wasRead, false, "a page was made beside the heavy request");
}

Deno.test({
  ...POSTGRES,
  name:
    "a key that has used up its seconds of the database is refused until they are back; others of its workspace are not",
  async fn() {
    await using service = await startService({
      env: { SVC_DB_SECONDS_PER_KEY: "100", SVC_DB_SECONDS_PER_WORKSPACE: "300" },
    });
    const other = await service.createKey();
    const load = requestLoadOf(service.deps);
    const note = load.noteDatabaseTime.bind(load);
    const noted: string[] = [];
    load.noteDatabaseTime = (owner, usedMs) => (noted.push(`${owner.actor} ${owner.workspaceId}`), note(owner, usedMs));
    const { headers } = await service.get("/v1/session");
    assert.match(headers.get("ratelimit-policy") ?? "", /"database";q=100;qu="database-seconds";w=60, "workspace-d/);
    assert.match(headers.get("ratelimit") ?? "", /"database";r=\d+;t=\d+, "workspace-database";r=\d+;t=\d+/);
    const { keyId } = (await listApiKeys(service.operator())).find(({ publicId }) =>
      publicId === parseApiKey(service.key)!.publicId
    )!;
    assert.deepEqual(noted, [`key:${keyId} ${service.workspaceId}`], "its one transaction, and nobody else's");
    load.noteDatabaseTime({ actor: `key:${keyId}`, workspaceId: service.workspaceId }, 200_000);
    const refused = await service.get("/v1/session");
    assert.deepEqual([refused.status, refused.body.code], [429, "rate_limited"]);
    assert.ok(Number(refused.headers.get("retry-after")) > 30, refused.headers.get("retry-after")!);
    assert.equal((await callRpc(service, "Recall", { query: "a lamp" })).status, 429, "whichever the face");
    assert.equal((await service.get("/v1/session", { key: other })).status, 200);
  },
});

Deno.test({
  ...POSTGRES,
  name: "a hundred requests at once take no more from the bucket than it holds",
  async fn() {
    const now = new Date("2026-03-01T12:00:00Z");
    await using service = await startService({
      clock: () => now,
      env: { SVC_RATE_LIMIT_PER_MINUTE: "600", SVC_RATE_LIMIT_BURST: "40" },
    });
    const replies = await Promise.all(Array.from({ length: 100 }, () => send(service, service.key)));
    assert.equal(replies.filter((reply) => reply.status === 200).length, 40);
    assert.equal(replies.filter((reply) => reply.status === 429).length, 60);
  },
});

Deno.test({
  ...POSTGRES,
  name: "the order of checks: address before scope before rate before idempotency before body",
  async fn() {
    await using service = await startService();
    const narrow = await service.createKey({
      scopes: ["memory:read"],
      cidrs: ["192.0.2.0/24"],
      rateLimit: { perMinute: 1, burst: 1 },
    });
    const post = async (from: string, key: string) => {
      const request = new Request("http://svc.test/v1/memory/facts", {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          "idempotency-key": "not visible",
        },
        body: "{",
      });
      const info = { remoteAddr: { transport: "tcp", hostname: from, port: 1 }, completed: Promise.resolve() };
      return (await readReply(await service.service.fetch(request, info as Deno.ServeHandlerInfo))).body;
    };
    assert.equal((await post("203.0.113.1", narrow)).code, "ip_not_allowed");
    assert.equal((await post("192.0.2.1", narrow)).code, "insufficient_scope", "it took nothing from the rate");
    const limited = await service.createKey({ rateLimit: { perMinute: 1, burst: 1 } });
    assert.match((await post("192.0.2.1", limited)).message, /Idempotency-Key/);
    assert.equal((await post("192.0.2.1", limited)).code, "rate_limited");
  },
});

Deno.test({
  ignore: POSTGRES.ignore || REDIS.ignore,
  name: "F9 two processes share a key's rate in Redis; when Redis is gone each counts for itself",
  async fn() {
    const redis = await startRedisFront();
    const env = {
      SVC_UPSTASH_REDIS_REST_URL: redis.url,
      SVC_UPSTASH_REDIS_REST_TOKEN: redis.token,
      SVC_RATE_LIMIT_PER_MINUTE: "1",
      SVC_RATE_LIMIT_BURST: "6",
    };
    const now = new Date();
    await using service = await startService({ env, clock: () => now });
    await using other = await startService({ env, clock: () => now, database: service.database! });
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) {
      statuses.push((await send(service, service.key)).status, (await send(other, service.key)).status);
    }
    assert.equal(statuses.filter((status) => status === 200).length, 6);
    await redis[Symbol.asyncDispose]();
    const alone = await Promise.all(Array.from({ length: 8 }, () => send(other, service.key)));
    assert.equal(alone.filter((reply) => reply.status === 200).length, 6);
  },
});
