/** Traces of the running service at a real OTLP receiver: the spans of the domain, and secrets that none contains. */
import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { type Collector, type ReceivedSpan, startCollector } from "./_collector.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

function traced(collector: Collector, env: Readonly<Record<string, string>> = {}) {
  return startService({
    env: { SVC_SENTENCE_ENCODER: "table", OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, ...env },
  });
}

/** The one server span of a route. */
function serverSpan(collector: Collector, name: string): ReceivedSpan {
  const found = collector.named(name);
  assert.equal(found.length, 1, `${name}: ${collector.spans().map((span) => span.name)}`);
  return found[0]!;
}

function names(spans: readonly ReceivedSpan[]): string[] {
  return spans.map((span) => span.name).sort();
}

async function createTurns(service: TestService): Promise<string> {
  const { body } = await service.post("/v1/session", { title: "Harbour" });
  const reply = await service.post(`/v1/session/${body.id}/turns`, {
    turns: [{ role: "user", content: "We sailed to the harbour in May 2024.", occurredAt: "2024-05-20T10:00:00Z" }],
  });
  assert.equal(reply.status, 201);
  return body.id;
}

Deno.test({
  ...POSTGRES,
  name: "a recall is a server span with svc.recall below it and one child for each tier",
  async fn() {
    await using collector = startCollector();
    await using service = await traced(collector, { OTEL_SERVICE_NAME: "memory" });
    await createTurns(service);
    const body = { query: "Where did we sail in May 2024?" };
    const full = await service.post("/v1/memory/recall?", body, {
      headers: { traceparent: `00-${TRACE}-${PARENT}-01`, "x-request-id": "asked-1" },
    });
    assert.equal(full.status, 200);
    const hot = await service.post("/v1/memory/recall/hot", body);
    assert.equal(hot.status, 200);
    await service.deps.telemetry.shutdown();

    const server = serverSpan(collector, "POST /v1/memory/recall");
    assert.deepEqual([server.kind, server.traceId, server.parentSpanId], [2, TRACE, PARENT]);
    assert.deepEqual(server.attributes, {
      "http.request.method": "POST",
      "http.route": "/v1/memory/recall",
      "http.response.status_code": 200,
      "svc.request_id": "asked-1",
    });
    assert.equal(full.body.traceId, TRACE);
    const recall = collector.childrenOf(server).find((span) => span.name === "svc.recall")!;
    const tiers = collector.childrenOf(recall);
    assert.deepEqual(names(tiers), full.body.tiers.map((tier: { tier: string }) => `svc.recall.${tier.tier}`).sort());
    assert.deepEqual(names(tiers), ["svc.recall.lexical", "svc.recall.semantic", "svc.recall.temporal"]);
    for (const tier of tiers) {
      assert.ok(tier.startMs >= recall.startMs - 1 && tier.endMs <= recall.endMs + 1, tier.name);
      assert.ok(tier.endMs > tier.startMs, tier.name);
      assert.equal(typeof tier.attributes["candidates"], "number");
    }
    assert.ok(names(collector.spans().filter((span) => span.traceId === TRACE)).includes("svc.embed"));

    // The database answered the earlier requests, until the hot tier had loaded the workspace.
    const hotServer = collector.spans().find(({ kind, traceId }) => kind === 2 && traceId === hot.body.traceId)!;
    assert.equal(hotServer.name, "POST /v1/memory/recall/hot");
    const [hotRecall] = collector.childrenOf(hotServer).filter((span) => span.name === "svc.recall");
    assert.ok(names(collector.childrenOf(hotRecall!)).includes("svc.recall.hot"));
    assert.ok(collector.text().includes('"memory"'));
  },
});

Deno.test({
  ...POSTGRES,
  name: "a write is svc.write with conflict detection below it, and its embedding beside it",
  async fn() {
    await using collector = startCollector();
    await using service = await traced(collector);
    await createTurns(service);
    const fact = { statement: "Ada lives in Oslo.", subject: "Ada", predicate: "lives in", object: "Oslo" };
    const created = await service.post("/v1/memory/facts", fact);
    assert.equal(created.status, 201);
    await service.patch(`/v1/facts/${created.body.id}`, { statement: "Ada lives in Bergen.", object: "Bergen" });
    await service.get(`/v1/facts/${created.body.id}`);
    await service.deps.telemetry.shutdown();

    for (const name of ["POST /v1/memory/facts", "PATCH /v1/facts/{id}"]) {
      const server = serverSpan(collector, name);
      const children = collector.childrenOf(server);
      const [write] = children.filter((span) => span.name === "svc.write");
      assert.ok(write, `${name}: ${names(children)}`);
      assert.ok(names(collector.childrenOf(write)).includes("svc.write.conflict_detection"), name);
      assert.ok(names(children).includes("svc.embed"), `${name}: ${names(children)}`);
    }
    const turns = collector.childrenOf(serverSpan(collector, "POST /v1/session/{id}/turns"));
    assert.deepEqual(names(turns), ["svc.embed", "svc.write"]);
    assert.deepEqual(collector.childrenOf(serverSpan(collector, "GET /v1/facts/{id}")), []);
    // Nothing is traced outside of requests.
    const roots = collector.spans().filter((span) => span.parentSpanId === undefined);
    assert.ok(roots.every((span) => span.kind === 2), names(roots).join());
  },
});

Deno.test({
  ...POSTGRES,
  name: "refusals and faults name their kind; a path that no route has is not told",
  async fn() {
    await using collector = startCollector();
    await using service = await traced(collector);
    await service.get("/v1/facts/01890000-0000-7000-8000-000000000000?token=canary");
    await service.get("/canary/path?token=canary", { key: null });
    await service.delete("/v1/recall?token=canary");
    await service.call("CANARY", "/v1/recall");
    await service.deps.telemetry.shutdown();
    const found = serverSpan(collector, "GET /v1/facts/{id}");
    assert.equal(found.attributes["http.response.status_code"], 422);
    assert.equal(serverSpan(collector, "GET").attributes["http.route"], undefined);
    assert.equal(serverSpan(collector, "DELETE /v1/recall").attributes["http.response.status_code"], 405);
    assert.equal(serverSpan(collector, "_OTHER /v1/recall").attributes["http.response.status_code"], 405);
    assert.ok(!/canary/i.test(collector.text()));
  },
});

Deno.test({
  ...POSTGRES,
  name: "the sampler that the environment names decides, and the caller's decision counts",
  async fn() {
    await using collector = startCollector();
    await using service = await traced(collector, { OTEL_TRACES_SAMPLER: "parentbased_always_off" });
    await service.get("/v1/session");
    await service.get("/v1/session", { headers: { traceparent: `00-${TRACE}-${PARENT}-00` } });
    await service.get("/v1/session", { headers: { traceparent: `00-${TRACE}-${PARENT}-01` } });
    await service.deps.telemetry.shutdown();
    assert.deepEqual(collector.spans().map((span) => span.traceId), [TRACE]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "a collector that is gone or never answers costs no request, and none waits for it",
  async fn() {
    const never = Promise.withResolvers<void>();
    await using silent = startCollector(() => never.promise.then(() => Response.json({})));
    // This happens before the collector stops, which waits for its unanswered requests.
    using _answer = { [Symbol.dispose]: () => never.resolve() };
    const gone = startCollector();
    await gone[Symbol.asyncDispose]();
    for (const collector of [silent, gone]) {
      const lines: string[] = [];
      await using service = await startService({
        env: { SVC_SENTENCE_ENCODER: "table", OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, SVC_LOG_LEVEL: "warn" },
        logSink: (line) => lines.push(line),
      });
      // The silent collector has not answered when the last of them is.
      for (let i = 0; i < 200; i++) assert.equal((await service.get("/v1/session")).status, 200);
      await service.deps.telemetry.shutdown();
      const told = lines.map((line) => JSON.parse(line).event).filter((event) => event.startsWith("tracing."));
      assert.ok(told.length <= 1 && told.every((event) => event === "tracing.export_failed"), lines.join("\n"));
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "a consolidation that is asked for has one span for each condition of its gate",
  async fn() {
    await using collector = startCollector();
    await using service = await traced(collector);
    const { body } = await service.post("/v1/memory/admin/consolidate", {});
    assert.equal(body.code, "gate_closed");
    await service.deps.telemetry.shutdown();
    const conditions = collector.childrenOf(serverSpan(collector, "POST /v1/memory/admin/consolidate"))
      .filter((span) => span.name === "svc.consolidation.gate");
    const seen = conditions.map((span) => [
      span.attributes["svc.consolidation.condition"],
      span.attributes["svc.consolidation.passed"],
    ]);
    assert.deepEqual(seen.toSorted(), [
      ["contested", "true"],
      ["drift", "true"],
      ["manual_hold", "true"],
      ["new_facts", "false"],
      ["quiet_period", "true"],
    ]);
  },
});
