/** The metrics page, the log line of each request, and the headers of every reply. docs/reference/guarantees.md T63. */
import assert from "node:assert/strict";
import { countFacts } from "../../src/db/queries/health.ts";
import { ENDPOINTS } from "../../src/http/endpoints.ts";
import { pathOf } from "../../src/http/app.ts";
import { readConfig } from "../../src/config.ts";
import { Service } from "../../src/service.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { parseMetrics, scrape, startModelEndpoint, valueOf } from "./_metrics.ts";

/** The metrics of this product that federation does not feed; the last one is of docs/reference/guarantees.md T19. */
const METRICS: Readonly<Record<string, readonly [type: string, ...labels: string[]]>> = {
  svc_requests_total: ["counter", "endpoint", "method", "status"],
  svc_errors_total: ["counter", "endpoint", "method", "type"],
  svc_request_duration_seconds: ["histogram", "endpoint", "method"],
  svc_recall_duration_seconds: ["histogram", "tier"],
  svc_recall_tier_hits_total: ["counter", "tier"],
  svc_recall_sources_total: ["counter", "source"],
  svc_facts_total: ["gauge", "status", "type", "workspace"],
  svc_worth_distribution: ["gauge", "bucket"],
  svc_hot_tier_size: ["gauge", "workspace"],
  svc_llm_tokens_used_total: ["counter", "model", "operation"],
  svc_tokens_saved_total: ["counter", "mechanism"],
  svc_recall_diary_dropped_total: ["counter"],
  svc_cache_outages_total: ["counter"],
  svc_client_certificates_ignored_total: ["counter", "reason"],
  svc_admin_opened_workspace_total: ["counter", "how"],
  svc_streams_ended_total: ["counter", "reason"],
  svc_streams_open: ["gauge"],
  svc_notifications_heard: ["gauge"],
  svc_vector_index_ready: ["gauge"],
  svc_embedding_text_seconds: ["histogram", "model", "purpose"],
  svc_embedding_backlog: ["gauge"],
  svc_newer_links_behind: ["gauge"],
  svc_notification_gaps_total: ["counter"],
};

/** Those of services that have peers, webhooks or a replica, or call somebody else's server: their own tests hold them. */
const ELSEWHERE = new Set([
  "svc_outbound_requests_total",
  "svc_replica_reads_total",
  "svc_federation_peers_active",
  "svc_federation_peers_degraded",
  "svc_federation_peer_stale",
  "svc_federation_lag_seconds",
  "svc_federation_certificate_expiry_days",
  "svc_federation_erasures_pending",
  "svc_federation_replay_detected_total",
  "svc_federation_tokens_refused_total",
  "svc_federation_items_synced_total",
  "svc_federation_conflicts_total",
  "svc_federation_items_rejected_total",
  "svc_federation_turn_seconds",
  "svc_webhook_attempts_total",
  "svc_webhook_attempt_seconds",
  "svc_webhook_dead_total",
  "svc_webhook_endpoints",
  "svc_webhook_pending",
  "svc_webhook_oldest_pending_seconds",
]);

/** A little of everything that feeds a metric. */
async function useService(service: TestService): Promise<void> {
  const session = await service.post("/v1/session", { title: "Planning" });
  const turns = Array.from(
    { length: 12 },
    (_, i) => ({ role: "user", content: `We talked about the harbour, part ${i}.` }),
  );
  await service.post(`/v1/session/${session.body.id}/turns`, { turns });
  const context = await service.get(`/v1/session/${session.body.id}/context?maxTokens=64`);
  assert.equal(context.status, 200, JSON.stringify(context.body));
  const home = { statement: "Ada lives in Oslo.", subject: "Ada", predicate: "lives in", object: "Oslo" };
  await service.post("/v1/memory/facts", { ...home, validFrom: "2024-01-01T00:00:00Z" });
  await service.post("/v1/memory/facts", {
    ...home,
    statement: "Ada lives in Bergen.",
    object: "Bergen",
    validFrom: "2025-01-01T00:00:00Z",
  });
  await service.post("/v1/memory/facts", { statement: "Ada prefers tea.", factType: "preference" });
  for (const path of ["/v1/recall", "/v1/memory/recall/hot"]) {
    const reply = await service.post(path, { query: "Where did Ada live in March 2024?" });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
  }
  assert.equal((await service.get("/v1/memory/facts/0")).status, 422);
}

Deno.test({
  ...POSTGRES,
  name: "the metrics page has every metric of the interface that has a source, with exactly its labels",
  async fn() {
    await using model = startModelEndpoint();
    const env = { SVC_EMBEDDINGS_URL: model.url, SVC_EMBEDDINGS_MODEL: "test-model" };
    await using service = await startService({ env });
    await useService(service);
    const other = await service.createWorkspace();
    const key = await service.createKey({ workspaceId: other });
    await service.post("/v1/memory/facts", { statement: "Seen by few.", sensitivity: "restricted" }, { key });

    const reply = await service.get("/metrics", { key: null });
    assert.match(reply.headers.get("content-type")!, /^text\/plain; version=0\.0\.4; charset=utf-8$/);
    const families = parseMetrics(reply.body);
    for (const [name, [type, ...labels]] of Object.entries(METRICS)) {
      const family = families.get(name) ?? assert.fail(`${name} is not there`);
      assert.equal(family.type, type, name);
      assert.ok(family.help.length > 10, name);
      assert.ok(family.samples.length > 0, `${name} has no sample`);
      for (const sample of family.samples) assert.deepEqual(Object.keys(sample.labels).sort(), labels, name);
    }
    const unknown = [...families.keys()].filter((name) => !(name in METRICS) && !ELSEWHERE.has(name));
    assert.deepEqual(unknown, []);

    const ws = service.workspaceId;
    const facts = { workspace: ws, type: "fact" };
    assert.equal(valueOf(families, "svc_facts_total", { ...facts, status: "active" }), 1);
    assert.equal(valueOf(families, "svc_facts_total", { ...facts, status: "superseded" }), 1);
    assert.equal(valueOf(families, "svc_facts_total", { workspace: ws, type: "preference", status: "active" }), 1);
    assert.equal(valueOf(families, "svc_facts_total", { workspace: other }), 1);
    // The five facts except the superseded one, and the entities that they name.
    const { data: named } = (await service.get("/v1/entities?limit=200")).body;
    assert.equal(valueOf(families, "svc_worth_distribution", {}), 4 + named.length);
    assert.equal(families.get("svc_worth_distribution")!.samples.length, 10);
    assert.ok(valueOf(families, "svc_hot_tier_size", { workspace: ws }) >= 14);
    assert.ok(valueOf(families, "svc_llm_tokens_used_total", { model: "test-model", operation: "embed" }) > 3);
    assert.ok(valueOf(families, "svc_tokens_saved_total", { mechanism: "context" }) > 0);
    for (const tier of ["hot", "lexical", "semantic", "temporal"]) {
      assert.ok(valueOf(families, "svc_recall_duration_seconds", { tier }) >= 1, tier);
    }
    const created = { method: "POST", endpoint: "/v1/memory/facts", status: "201" };
    assert.equal(valueOf(families, "svc_requests_total", created), 4);
    const refused = { method: "GET", endpoint: "/v1/memory/facts/{id}", type: "validation_failed" };
    assert.equal(valueOf(families, "svc_errors_total", refused), 1);
  },
});

Deno.test({
  ...POSTGRES,
  name: "the gauges over all workspaces see one workspace from inside of it",
  async fn() {
    await using service = await startService();
    const other = await service.createWorkspace();
    const key = await service.createKey({ workspaceId: other });
    await service.post("/v1/memory/facts", { statement: "One." });
    await service.post("/v1/memory/facts", { statement: "Two." }, { key });
    const inside = await service.operator(other).tx((tx) => countFacts(tx.sql), { readOnly: true });
    assert.deepEqual(inside.map((row) => row.workspaceId), [other]);
    const outside = await service.deps.db.system(countFacts);
    assert.deepEqual(outside.map((row) => row.workspaceId).sort(), [service.workspaceId, other].sort());
  },
});

Deno.test({
  ...POSTGRES,
  name: "T63: no path, method, header or name of a caller becomes a label",
  async fn() {
    await using service = await startService();
    const odd = await service.createWorkspace(`MARK'"\\\n{}=<script> ☃`);
    const key = await service.createKey({ workspaceId: odd });
    await service.post("/v1/memory/facts", { statement: "MARK statement", tags: ["MARK-tag"], subject: "MARK" }, {
      key,
    });
    const { id } = (await service.post("/v1/session", { title: "MARK title", agentId: "MARK" }, { key })).body;
    await service.post("/v1/memory/recall/hot", { query: "MARK" }, { key });
    const requests = [
      ["GET", `/v1/session/${id}?MARK=1`],
      ["GET", "/v1/MARK/%2e%2e/%00/é"],
      ["GET", "//v1/session"],
      ["GET", "/v1/session/%ZZ"],
      ["MARK", "/v1/session"],
      ["DELETE", "/v1/recall"],
      ["HEAD", "/v1/session"],
    ];
    for (const [method, path] of requests) await service.call(method!, path!, { key, headers: { "x-mark": "MARK" } });
    const before = await scrape(service);
    for (let i = 0; i < 500; i++) {
      await service.call(i % 2 ? "GET" : `VERB${i}`, `/v1/session/${i}/${crypto.randomUUID()}?q=${i}`, { key });
    }
    const after = await scrape(service);
    for (const name of ["svc_requests_total", "svc_errors_total", "svc_request_duration_seconds"]) {
      const [old, now] = [before, after].map((families) => families.get(name)!.samples.map((one) => one.labels));
      assert.ok(now!.length <= old!.length + 3, `${name} grew from ${old!.length} to ${now!.length} series`);
      const templates = new Set([...ENDPOINTS.map(pathOf), "unmatched"]);
      for (const labels of now!) assert.ok(templates.has(labels["endpoint"]!), `${name} ${labels["endpoint"]}`);
    }
    assert.equal(valueOf(after, "svc_requests_total", { method: "DELETE", endpoint: "/v1/recall", status: "405" }), 1);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T63: the pages that need no key tell nothing of what is stored, who stores it and what runs beneath",
  async fn() {
    await using service = await startService();
    const odd = await service.createWorkspace("MARK workspace");
    const key = await service.createKey({ workspaceId: odd });
    await service.post("/v1/memory/facts", { statement: "MARK statement" }, { key });
    await service.post("/v1/memory/recall/hot", { query: "MARK" }, { key });
    const url = new URL(service.database!.requestUrl);
    const forbidden = ["MARK", key.slice(9, 21), url.password, service.database!.name, "postgres://", "PostgreSQL"];
    const paths = ["/metrics", "/healthz", "/health/live", "/health/ready", "/v1/openapi.json", "/v1/docs", "/v1/none"];
    for (const path of paths) {
      const { headers, body } = await service.get(path, { key: null });
      const text = JSON.stringify([...headers]) + (typeof body === "string" ? body : JSON.stringify(body));
      for (const word of forbidden) assert.ok(!text.includes(word), `${path} tells ${word}`);
      assert.ok(!/server|x-powered-by/i.test([...headers.keys()].join()), path);
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "with SVC_METRICS_TOKEN the page is for who has it",
  async fn() {
    const token = "metrics-token-0123456789";
    await using service = await startService({ env: { SVC_METRICS_TOKEN: token } });
    const strangers: HeadersInit[] = [
      {},
      { authorization: "Bearer wrong" },
      { authorization: token },
      { authorization: `Bearer ${service.key}` },
    ];
    for (const headers of strangers) {
      const reply = await service.get("/metrics", { key: null, headers });
      assert.equal(reply.status, 401);
      assert.equal(reply.headers.get("www-authenticate"), "Bearer");
      assert.equal(reply.body.code, "unauthenticated");
    }
    const families = await scrape(service, { authorization: `Bearer ${token}` });
    assert.equal(valueOf(families, "svc_errors_total", { endpoint: "/metrics", type: "unauthenticated" }), 4);
  },
});

Deno.test("before the database is there, requests are refused, counted and logged like all others", async () => {
  const lines: string[] = [];
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const url = `postgres://svc:unused-password@127.0.0.1:${listener.addr.port}/svc`;
  listener.close();
  await using service = await Service.boot(readConfig({ DATABASE_URL: url }), { logSink: (line) => lines.push(line) });
  const call = (path: string) =>
    service.fetch(new Request(`http://svc.test${path}`, { headers: { "x-request-id": "asked-1" } }));

  const reply = await call("/v1/session");
  assert.equal(reply.status, 503);
  assert.equal(reply.headers.get("retry-after"), "1");
  assert.equal(reply.headers.get("x-request-id"), "asked-1");
  assert.equal((await reply.json()).code, "unavailable");
  assert.equal((await call("/v1/nowhere")).status, 404);
  for (const path of ["/v1/openapi.json", "/v1/docs", "/healthz", "/health/live"]) {
    assert.equal((await call(path)).status, 200, path);
  }
  const ready = await call("/health/ready");
  assert.equal(ready.status, 503);
  assert.deepEqual((await ready.json()).checks, { database: "unavailable", process: "starting" });

  const logged = lines.map((line) => JSON.parse(line));
  const line = logged.find((one) => one.event === "http.request" && one.route === "/v1/session");
  assert.deepEqual(
    [line.level, line.requestId, line.status, line.errorCode],
    ["error", "asked-1", 503, "unavailable"],
  );
  assert.equal(logged.filter((one) => one.event === "database.down").length, 1);
  const families = parseMetrics(await (await call("/metrics")).text());
  assert.equal(
    valueOf(families, "svc_errors_total", { method: "GET", endpoint: "/v1/session", type: "unavailable" }),
    1,
  );
});

Deno.test({
  ...POSTGRES,
  name: "every reply has a request id, the caller's own where it is usable, and says how it may be used",
  async fn() {
    await using service = await startService();
    const ids: [string, boolean][] = [
      ["abc-1", true],
      ["!".repeat(128), true],
      ["~".repeat(129), false],
      ["two words", false],
      ["tab\tin", false],
      ["é", false],
      ["", false],
    ];
    for (const [asked, isTaken] of ids) {
      const { headers } = await service.get("/healthz", { headers: { "x-request-id": asked } });
      const given = headers.get("x-request-id")!;
      assert.equal(given === asked, isTaken, asked);
      assert.match(given, /^[!-~]{1,128}$/);
    }
    const replies = [
      await service.get("/v1/session"),
      await service.get("/v1/session", { key: null }),
      await service.post("/v1/session", "{"),
      await service.delete("/v1/recall"),
      await service.get("/nowhere"),
      await service.get("/metrics"),
      await service.get("/health/ready"),
    ];
    for (const { status, headers } of replies) {
      assert.equal(headers.get("cache-control"), "no-store", `${status}`);
      assert.equal(headers.get("x-content-type-options"), "nosniff", `${status}`);
      assert.equal(headers.get("content-security-policy"), "default-src 'none'; frame-ancestors 'none'", `${status}`);
      assert.ok(headers.get("x-request-id"));
    }
    assert.equal(replies[3]!.headers.get("allow"), "POST");
    const script = await service.get("/v1/docs/reference.js");
    assert.match(script.headers.get("cache-control")!, /max-age/);
  },
});
