import assert from "node:assert/strict";
import { worthBucket } from "./metric_labels.ts";
import { Metrics } from "./metrics.ts";
import { createUsedMetrics, PEER, WORKSPACE } from "./_used_metrics.ts";

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Reads the Prometheus text format 0.0.4 by its grammar; throws on any line that does not match. */
function parseMetrics(body: string): { samples: Sample[]; types: Map<string, string>; help: Set<string> } {
  const samples: Sample[] = [];
  const types = new Map<string, string>();
  const help = new Set<string>();
  assert.ok(body.endsWith("\n"));
  for (const line of body.split("\n")) {
    if (line === "") continue;
    const comment = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line);
    if (comment !== null) {
      if (comment[1] === "HELP") help.add(comment[2]);
      else types.set(comment[2], comment[3]);
      continue;
    }
    const sample = /^([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\S+)$/.exec(line);
    assert.ok(sample !== null, `not a sample: ${line}`);
    const labels: Record<string, string> = {};
    for (const [, name, value] of (sample[2] ?? "").matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) labels[name] = value;
    samples.push({ name: sample[1], labels, value: sample[3] === "+Inf" ? Infinity : Number(sample[3]) });
  }
  return { samples, types, help };
}

async function read(metrics: Metrics) {
  const { body, contentType } = await metrics.render();
  assert.match(contentType, /^text\/plain; version=0\.0\.4/);
  const page = parseMetrics(body);
  const find = (name: string, labels: Record<string, string> = {}) =>
    page.samples.find((s) => s.name === name && Object.entries(labels).every(([k, v]) => s.labels[k] === v))?.value;
  return { ...page, body, find };
}

Deno.test("the count of replays of a peer begins at 0, so that its first replay is a rise", async () => {
  const metrics = new Metrics({ sources: { peers: async () => [PEER] } });
  const replays = async () => (await read(metrics)).find("svc_federation_replay_detected_total", { peer: PEER.peer });
  assert.equal(await replays(), 0);
  metrics.countReplay(PEER.peer);
  assert.equal(await replays(), 1);
});

Deno.test("peers beyond the first 200 are one series, which shows the worst of them", async () => {
  const some = (n: number) => ({ ...PEER, peer: `instance:${n}.example`, lagSeconds: n, certificateDays: 300 - n });
  const rows = Array.from({ length: 210 }, (_, n) => some(n));
  const metrics = new Metrics({
    sources: { peers: async () => [...rows, { ...PEER, isActive: false, isStale: true }] },
  });
  const { samples, find } = await read(metrics);
  assert.equal(samples.filter(({ name }) => name === "svc_federation_lag_seconds").length, 201);
  const other = (name: string) => find(name, { peer: "other" });
  assert.deepEqual(
    [other("svc_federation_lag_seconds"), other("svc_federation_peers_active"), other("svc_federation_peer_stale")],
    [209, 0, 1],
  );
  assert.equal(other("svc_federation_certificate_expiry_days"), 80);
  assert.equal(other("svc_federation_erasures_pending"), 22);
});

Deno.test("every metric of the interface has its exact name, type and labels", async () => {
  const metrics = createUsedMetrics();
  const { samples, types, help } = await read(metrics);
  const expected: Record<string, [string, string[]]> = {
    svc_requests_total: ["counter", ["endpoint", "method", "status"]],
    svc_errors_total: ["counter", ["endpoint", "method", "type"]],
    svc_request_duration_seconds: ["histogram", ["endpoint", "method"]],
    svc_recall_duration_seconds: ["histogram", ["tier"]],
    svc_recall_tier_hits_total: ["counter", ["tier"]],
    svc_recall_sources_total: ["counter", ["source"]],
    svc_facts_total: ["gauge", ["status", "type", "workspace"]],
    svc_worth_distribution: ["gauge", ["bucket"]],
    svc_hot_tier_size: ["gauge", ["workspace"]],
    svc_llm_tokens_used_total: ["counter", ["model", "operation"]],
    svc_tokens_saved_total: ["counter", ["mechanism"]],
    svc_recall_diary_dropped_total: ["counter", []],
    svc_client_certificates_ignored_total: ["counter", ["reason"]],
    svc_streams_ended_total: ["counter", ["reason"]],
    svc_streams_open: ["gauge", []],
    svc_cache_outages_total: ["counter", []],
    svc_admin_opened_workspace_total: ["counter", ["how"]],
    svc_notifications_heard: ["gauge", []],
    svc_vector_index_ready: ["gauge", []],
    svc_notification_gaps_total: ["counter", []],
    svc_embedding_text_seconds: ["histogram", ["model", "purpose"]],
    svc_embedding_backlog: ["gauge", []],
    svc_newer_links_behind: ["gauge", []],
    svc_replica_reads_total: ["counter", ["outcome"]],
    svc_outbound_requests_total: ["counter", ["result", "use"]],
    svc_webhook_attempts_total: ["counter", ["result"]],
    svc_webhook_attempt_seconds: ["histogram", []],
    svc_webhook_dead_total: ["counter", []],
    svc_webhook_endpoints: ["gauge", ["status"]],
    svc_webhook_pending: ["gauge", []],
    svc_webhook_oldest_pending_seconds: ["gauge", []],
    svc_federation_conflicts_total: ["counter", ["peer"]],
    svc_federation_items_rejected_total: ["counter", ["code", "peer"]],
    svc_federation_items_synced_total: ["counter", ["peer"]],
    svc_federation_turn_seconds: ["histogram", []],
    svc_federation_peers_active: ["gauge", ["peer"]],
    svc_federation_replay_detected_total: ["counter", ["peer"]],
    svc_federation_tokens_refused_total: ["counter", ["reason"]],
    svc_federation_peers_degraded: ["gauge", ["peer"]],
    svc_federation_peer_stale: ["gauge", ["peer"]],
    svc_federation_lag_seconds: ["gauge", ["peer"]],
    svc_federation_certificate_expiry_days: ["gauge", ["peer"]],
    svc_federation_erasures_pending: ["gauge", ["peer"]],
  };
  assert.deepEqual([...types.keys()].sort(), Object.keys(expected).sort());
  for (const [name, [type, labels]] of Object.entries(expected)) {
    assert.equal(types.get(name), type, name);
    assert.ok(help.has(name), name);
    const sampleName = type === "histogram" ? `${name}_count` : name;
    const found = samples.filter((sample) => sample.name === sampleName);
    assert.ok(found.length > 0, name);
    for (const sample of found) assert.deepEqual(Object.keys(sample.labels).sort(), labels, name);
  }
});

Deno.test("counters and histograms add up, in seconds", async () => {
  const metrics = new Metrics();
  for (const durationMs of [0.4, 4, 40]) {
    metrics.observeRequest({ method: "POST", endpoint: "/v1/memory/recall", status: 200, durationMs });
  }
  metrics.countError({ method: "POST", endpoint: undefined, type: "internal" });
  metrics.observeRecallTier("lexical", 3, 0);
  metrics.observeRecallTier("lexical", 3, 5);
  metrics.countTokens("m", "embed", Number.NaN);
  metrics.countTokens("m", "embed", -1);
  const { find } = await read(metrics);
  const endpoint = "/v1/memory/recall";
  assert.equal(find("svc_requests_total", { method: "POST", endpoint, status: "200" }), 3);
  assert.equal(find("svc_request_duration_seconds_count", { endpoint }), 3);
  assert.ok(Math.abs(find("svc_request_duration_seconds_sum", { endpoint })! - 0.0444) < 1e-9);
  assert.equal(find("svc_request_duration_seconds_bucket", { endpoint, le: "0.005" }), 2);
  assert.equal(find("svc_request_duration_seconds_bucket", { endpoint, le: "+Inf" }), 3);
  assert.equal(find("svc_errors_total", { endpoint: "unmatched", type: "internal" }), 1);
  assert.equal(find("svc_recall_tier_hits_total", { tier: "lexical" }), 5);
  assert.equal(find("svc_recall_tier_hits_total", { tier: "graph" }), 0);
  assert.equal(find("svc_llm_tokens_used_total", { model: "m", operation: "embed" }), 0);
});

Deno.test("10,000 unmatched paths, odd methods, statuses and words leave the number of series constant", async () => {
  const metrics = new Metrics();
  const send = (i: number) => {
    metrics.observeRequest({
      method: `M${i}`,
      endpoint: undefined,
      status: 404,
      durationMs: 1,
      errorCode: "not_found",
    });
    metrics.observeRequest({ method: "GET", endpoint: `/x y"\n${i}`, status: 1_000 + i, durationMs: 1 });
    metrics.countTokens(`bad model ${i}`, `bad op ${i}`, 1);
    metrics.observeRecallTier(`T ${i}`, 1, 1);
  };
  send(0);
  const before = (await read(metrics)).samples.length;
  for (let i = 1; i < 10_000; i++) send(i);
  const { samples, find } = await read(metrics);
  assert.equal(samples.length, before);
  assert.equal(find("svc_requests_total", { method: "OTHER", endpoint: "unmatched", status: "404" }), 10_000);
});

Deno.test("raw paths handed over as templates by mistake stop at a cap", async () => {
  const metrics = new Metrics();
  for (let i = 0; i < 5_000; i++) {
    metrics.observeRequest({ method: "GET", endpoint: `/p/${i}`, status: 200, durationMs: 1 });
  }
  const { samples } = await read(metrics);
  assert.ok(samples.filter((sample) => sample.name === "svc_requests_total").length <= 1_001);
});

Deno.test("only a UUID becomes a workspace label, and a caller's text never becomes any label", async () => {
  const names = ["Acme Ltd", "svc_live_abc", "postgres://svc:pw@db/svc", "019A1B2C-3D4E-7F00-8000-0123456789AB", ""];
  const odd = { workspaceId: WORKSPACE, type: 'odd "type"\n', status: "active", count: 1 };
  const metrics = new Metrics({
    sources: {
      facts: () => [...names.map((name) => ({ ...odd, workspaceId: name, type: "a" })), odd],
      hotTier: () => names.map((name) => ({ workspaceId: name, units: 1 })),
    },
  });
  for (const name of names) metrics.countTokensSaved(`${name} x`, 1);
  const { body, samples, find } = await read(metrics);
  for (const name of names.filter((name) => name !== "")) assert.ok(!body.includes(name), name);
  assert.equal(samples.filter((sample) => sample.name === "svc_hot_tier_size").length, 0);
  assert.equal(find("svc_facts_total", { workspace: WORKSPACE, type: "other" }), 1);
});

Deno.test("a source is read once per TTL, by one page at a time", async () => {
  let now = 0;
  let reads = 0;
  const metrics = new Metrics({
    now: () => now,
    sourceTtlMs: 1_000,
    sources: { hotTier: async () => [{ workspaceId: WORKSPACE, units: ++reads }] },
  });
  const pages = await Promise.all([read(metrics), read(metrics), read(metrics)]);
  assert.deepEqual(pages.map((page) => page.find("svc_hot_tier_size")), [1, 1, 1]);
  now = 999;
  await read(metrics);
  assert.equal(reads, 1);
  now = 1_000;
  assert.equal((await read(metrics)).find("svc_hot_tier_size"), 2);
});

Deno.test("a source that fails or hangs does not take the page away", async () => {
  const failures: string[] = [];
  const hung = Promise.withResolvers<never[]>();
  let fail = false;
  let now = 0;
  const metrics = new Metrics({
    now: () => now,
    sourceTtlMs: 10,
    sourceTimeoutMs: 20,
    onSourceError: (source) => failures.push(source),
    sources: {
      facts: () => {
        if (fail) throw new Error("database is down");
        return [{ workspaceId: WORKSPACE, type: "preference", status: "active", count: 1 }];
      },
      worth: () => hung.promise,
    },
  });
  assert.equal((await read(metrics)).find("svc_facts_total"), 1);
  fail = true;
  now = 100;
  const { find } = await read(metrics);
  assert.equal(find("svc_facts_total"), undefined);
  assert.equal(find("svc_recall_tier_hits_total", { tier: "hot" }), 0);
  assert.deepEqual(failures, ["facts"]);
  hung.resolve([]);
});

Deno.test("worth is counted in tenths and all ten buckets are shown", async () => {
  assert.deepEqual([-1, 0, 0.1, 0.3, 0.7, 0.99, 1, 2].map(worthBucket), [
    "0.0-0.1",
    "0.0-0.1",
    "0.1-0.2",
    "0.3-0.4",
    "0.7-0.8",
    "0.9-1.0",
    "0.9-1.0",
    "0.9-1.0",
  ]);
  const metrics = new Metrics({
    sources: { worth: () => [{ bucket: worthBucket(1), count: 4 }, { bucket: "nonsense", count: 9 }] },
  });
  const { samples, find } = await read(metrics);
  assert.equal(samples.filter((sample) => sample.name === "svc_worth_distribution").length, 10);
  assert.equal(find("svc_worth_distribution", { bucket: "0.9-1.0" }), 4);
});

Deno.test("two services in one process count apart", async () => {
  const [one, two] = [new Metrics(), new Metrics()];
  one.countTokensSaved("packing", 5);
  assert.equal((await read(two)).find("svc_tokens_saved_total"), undefined);
});
