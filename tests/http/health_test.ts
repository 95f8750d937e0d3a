/** Readiness while the servers that the service needs come and go, and the vitals of a workspace. */
import assert from "node:assert/strict";
import { findServerPrograms, NativePostgres } from "../../scripts/gate/native_postgres.ts";
import { diagnose } from "../../src/domain/upkeep/doctor.ts";
import { ENCODER_MODEL, TABLE_MODEL } from "../../src/providers/sentence_encoder/sentence_encoder.ts";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { REDIS, startRedisFront } from "../_redis.ts";
import { startService, type TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { scrape, valueOf } from "./_metrics.ts";

/** A cluster of its own needs the server programs, even if the run's cluster is given by its URL. */
const OWN_CLUSTER = { ignore: POSTGRES.ignore || await findServerPrograms() === undefined };

/** Does a worker's steps in the service's first workspace until there is nothing left to do. */
async function work(service: TestService, name: string): Promise<void> {
  while (await service.step(name));
}

async function ready(service: { fetch(request: Request): Promise<Response> }) {
  const reply = await service.fetch(new Request("http://svc.test/health/ready"));
  return { status: reply.status, body: await reply.json() };
}

Deno.test({
  ...POSTGRES,
  name: "the vitals count what was written, as far as the key is cleared for it, and nothing of other workspaces",
  async fn() {
    await using service = await startService();
    const low = await service.createKey({ maxSensitivity: "internal" });
    const other = await service.createKey({ workspaceId: await service.createWorkspace() });
    const vitals = async (key = service.key) => {
      const [v2, v3] = await Promise.all(
        ["/v1/health", "/v1/memory/health"].map((path) => service.get(path, { key })),
      );
      assert.equal(v2!.status, 200, JSON.stringify(v2!.body));
      assert.deepEqual(v2!.body, v3!.body);
      return v2!.body;
    };
    const empty = {
      liveFacts: 0,
      pinned: 0,
      turns: 0,
      sessions: 0,
      embeddedRatio: 1,
      embeddingBacklog: 0,
      recallHitRate: null,
      recalls: 0,
      backlog: { embedding: 0, links: 0, worth: 0, changes: 0, jobs: 0, openReviews: 0 },
      lastWriteAt: null,
      changeSeq: 0,
    };
    assert.deepEqual(await vitals(), empty);

    const home = { subject: "Ada", predicate: "lives in" };
    const post = async (path: string, body: unknown, key?: string) => {
      const reply = await service.post(path, body, key === undefined ? {} : { key });
      assert.ok(reply.status < 300, JSON.stringify(reply.body));
      return reply.body;
    };
    await post("/v1/memory/facts", { statement: "Ada lives in Oslo.", ...home, object: "Oslo" });
    await post("/v1/memory/facts", { statement: "Ada lives in Bergen.", ...home, object: "Bergen", pinned: true });
    const archived = await post("/v1/memory/facts", { statement: "Ada sails.", pinned: true });
    await service.delete(`/v1/memory/facts/${archived.id}`);
    await post("/v1/memory/facts", { statement: "Ada keeps a secret.", sensitivity: "restricted", pinned: true });
    const session = await post("/v1/session", { title: "Open" });
    await post(`/v1/session/${session.id}/turns`, {
      turns: [{ role: "user", content: "Hello.", pinned: true }, { role: "user", content: "Goodbye." }],
    });
    const hidden = await post("/v1/session", { title: "Hidden", sensitivity: "restricted" });
    await post(`/v1/session/${hidden.id}/turns`, { role: "user", content: "Whispered." });
    await post("/v1/memory/facts", { statement: "Elsewhere." }, other);

    // A person named in the facts became an entity, which is embedded a moment later.
    await work(service, "embedding");
    const all = await vitals();
    const { lastWriteAt, changeSeq } = all;
    assert.ok(Date.now() - Date.parse(lastWriteAt) < 60_000);
    const backlog = { ...empty.backlog, changes: changeSeq };
    assert.deepEqual(all, {
      ...empty,
      liveFacts: 2,
      pinned: 3,
      turns: 3,
      sessions: 2,
      backlog,
      lastWriteAt,
      changeSeq,
    });
    const below = await vitals(low);
    assert.deepEqual(
      [below.liveFacts, below.pinned, below.turns, below.sessions],
      [1, 2, 2, 1],
    );
    assert.ok(Date.parse(below.lastWriteAt) < Date.parse(lastWriteAt), "a hidden write does not show");
    assert.equal((await vitals(other)).liveFacts, 1);

    await post("/v1/recall", { query: "Who said goodbye?" });
    await service.post("/v1/memory/recall/hot", { query: "Who said goodbye?" }, { once: true });
    await post("/v1/recall", { query: "zzzzqqqq" });
    await post("/v1/memory/recall/batch", { queries: [{ query: "goodbye" }] });
    await work(service, "usage");
    assert.equal((await vitals()).recallHitRate, 3 / 4);
    assert.equal((await vitals(other)).recallHitRate, null);
  },
});

Deno.test({
  ...POSTGRES,
  name: "the embedded ratio follows the queue, and the model",
  async fn() {
    const clock = { now: new Date("2026-03-01T12:00:00Z") };
    // The table makes the vectors of many turns, and the encoder better ones later.
    await using service = await startService({ clock: () => clock.now, env: { SVC_SENTENCE_ENCODER: "on" } });
    const session = await service.post("/v1/session", {});
    const turns = Array.from({ length: 100 }, (_, i) => ({ role: "user", content: `Said number ${i}.` }));
    assert.equal((await ready(service.service)).body.checks.embeddings, undefined);
    await service.post(`/v1/session/${session.body.id}/turns`, { turns });
    const behind = await waitFor("the readiness that says so", async () => {
      const reply = await ready(service.service);
      return reply.body.checks.embeddings === undefined ? undefined : reply;
    });
    assert.deepEqual([behind.status, behind.body.checks.embeddings], [200, "behind"]);
    const waiting = async () => {
      const { checks } = await diagnose(service.deps);
      return checks.find(({ check }) => check.startsWith("texts without"))?.detail;
    };
    assert.equal(await waiting(), "100");
    assert.equal(valueOf(await scrape(service), "svc_embedding_backlog", {}), 100);
    const before = (await service.get("/v1/health")).body;
    assert.deepEqual([before.embeddedRatio, before.embeddingBacklog], [0, 100]);
    await work(service, "embedding");
    const after = (await service.get("/v1/health")).body;
    assert.deepEqual([after.embeddedRatio, after.embeddingBacklog], [1, 0]);
    assert.equal(await waiting(), "0");
    await waitFor("the readiness", async () => (await ready(service.service)).body.checks.embeddings === undefined);
    const page = await scrape(service);
    for (const model of [ENCODER_MODEL, TABLE_MODEL]) {
      assert.ok(valueOf(page, "svc_embedding_text_seconds", { model, purpose: "document" })! > 0, model);
    }

    await using renamed = await startService({ database: service.database! });
    await renamed.operator(service.workspaceId).tx((tx) =>
      tx.sql`update embedding set model = 'another' where workspace_id = ${tx.workspaceId} and doc_no % 4 = 0`
    );
    const changed = (await service.get("/v1/health")).body;
    assert.deepEqual([changed.embeddedRatio, changed.embeddingBacklog], [0.75, 25]);
    assert.equal(await waiting(), "25");

    const fact = { statement: "The offer holds.", expiresAt: "2026-03-01T13:00:00Z", pinned: true };
    await service.post("/v1/memory/facts", fact);
    const counts = async () => {
      const { liveFacts, pinned } = (await service.get("/v1/health")).body;
      return [liveFacts, pinned];
    };
    assert.deepEqual(await counts(), [1, 1]);
    clock.now = new Date("2026-03-01T13:00:00Z");
    assert.deepEqual(await counts(), [0, 0]);
  },
});

Deno.test({
  ...OWN_CLUSTER,
  name: "readiness, requests and metrics while Postgres is down, and after it",
  async fn() {
    await using cluster = await NativePostgres.start();
    await using database = await createDatabase({ cluster: cluster.url() });
    const lines: string[] = [];
    await using started = await startService({
      database,
      env: { SVC_DB_DEADLINE_MS: "2000", SVC_LOG_LEVEL: "info" },
      logSink: (line) => lines.push(line),
    });
    const { service, key } = started;
    const call = async (path: string) => {
      const headers = { authorization: `Bearer ${key}` };
      const reply = await service.fetch(new Request(`http://svc.test${path}`, { headers }));
      return { reply, text: await reply.text() };
    };
    assert.deepEqual(await ready(service), { status: 200, body: { status: "ok", checks: { database: "ok" } } });
    assert.equal((await call("/v1/health")).reply.status, 200);

    await cluster.stop("immediate");
    const down = { status: "unavailable", checks: { database: "unavailable" } };
    assert.deepEqual(await ready(service), { status: 503, body: down });
    const refused = await call("/v1/health");
    assert.equal(refused.reply.status, 503);
    assert.equal(refused.reply.headers.get("retry-after"), "1");
    for (const path of ["/healthz", "/health/live", "/metrics"]) {
      assert.equal((await call(path)).reply.status, 200, path);
    }
    // Numbers that may be wrong are worse than none.
    assert.ok(!/^svc_facts_total\{/m.test((await call("/metrics")).text));

    await cluster.start();
    await waitFor("ready again", async () => (await ready(service)).status === 200);
    assert.equal((await call("/v1/health")).reply.status, 200);
    const events = lines.map((line) => JSON.parse(line).event);
    assert.ok(events.includes("database.pool_replaced"), events.join());
    assert.ok(!lines.join().includes(new URL(database.requestUrl).password));
  },
});

Deno.test({
  ignore: POSTGRES.ignore || REDIS.ignore,
  name: "readiness with a configured Redis, while it answers and after it has gone",
  async fn() {
    const front = await startRedisFront();
    const env = { SVC_UPSTASH_REDIS_REST_URL: front.url, SVC_UPSTASH_REDIS_REST_TOKEN: front.token };
    await using service = await startService({ env });
    try {
      assert.deepEqual(await ready(service.service), {
        status: 200,
        body: { status: "ok", checks: { database: "ok", cache: "ok" } },
      });
    } finally {
      await front[Symbol.asyncDispose]();
    }
    assert.deepEqual(await ready(service.service), {
      status: 503,
      body: { status: "unavailable", checks: { database: "ok", cache: "unavailable" } },
    });
    // A key can be checked without it, too.
    assert.equal((await service.get("/v1/health", { key: await service.createKey() })).status, 200);
  },
});
