import assert from "node:assert/strict";
import { ServiceError } from "../errors.ts";
import { createTelemetry, noopTelemetry } from "./telemetry.ts";
import { createTracer, noopTracer, type Tracer, type TracingOptions } from "./tracing.ts";

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: { key: string; value: Record<string, unknown> }[];
  readonly status: { code: number; message?: string };
  readonly events: unknown[];
  readonly traceState?: string;
}

interface OtlpBatch {
  readonly resourceSpans: {
    readonly resource: Pick<OtlpSpan, "attributes">;
    readonly scopeSpans: { readonly spans: OtlpSpan[] }[];
  }[];
}

/** A collector on loopback that stores its requests. `reply` may refuse or delay. */
function startCollector(reply: () => Response | Promise<Response> = () => Response.json({})) {
  const requests: { path: string; headers: Headers; body: Uint8Array }[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const body = new Uint8Array(await request.arrayBuffer());
    requests.push({ path: new URL(request.url).pathname, headers: request.headers, body });
    return await reply();
  });
  const text = () => requests.map(({ body }) => new TextDecoder().decode(body)).join("\n");
  const batches = (): OtlpBatch[] => requests.map(({ body }) => JSON.parse(new TextDecoder().decode(body)));
  const resources = () => batches().flatMap((batch) => batch.resourceSpans);
  const spans = () => resources().flatMap((resource) => resource.scopeSpans.flatMap((scope) => scope.spans));
  return {
    endpoint: `http://127.0.0.1:${server.addr.port}`,
    requests,
    text,
    resources,
    spans,
    span: (name: string) => spans().find((span) => span.name === name) ?? assert.fail(`no span ${name}`),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function attributesOf(span: Pick<OtlpSpan, "attributes">): Record<string, unknown> {
  return Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

async function withTracer(options: TracingOptions, run: (tracer: Tracer) => Promise<void>): Promise<void> {
  const tracer = createTracer({ exportTimeoutMs: 500, ...options });
  try {
    await run(tracer);
  } finally {
    await tracer.shutdown();
  }
}

Deno.test("a request, its recall and each tier arrive at the collector as one tree", async () => {
  await using collector = startCollector();
  await withTracer({ endpoint: collector.endpoint, serviceName: "memory", serviceVersion: "3" }, async (tracer) => {
    const start = { method: "POST", requestId: "r-1", headers: new Headers() };
    await tracer.request(start, async (request) => {
      assert.match(tracer.traceId()!, /^[0-9a-f]{32}$/);
      request.setRoute("/v1/memory/recall");
      await tracer.span("svc.recall", { "svc.recall.limit": 10 }, async (recall) => {
        await Promise.all(["hot", "lexical"].map((tier) =>
          tracer.span(`svc.recall.${tier}`, { tier }, async (span) => {
            await Promise.resolve();
            span.set({ candidates: 3 });
          })
        ));
        recall.set({ results: 2 });
      });
      request.setStatus(200);
    });
    assert.equal(tracer.traceId(), undefined);
  });
  assert.equal(collector.requests[0].path, "/v1/traces");
  const root = collector.span("POST /v1/memory/recall");
  const recall = collector.span("svc.recall");
  assert.equal(root.kind, 2);
  assert.ok(!root.parentSpanId);
  assert.equal(recall.parentSpanId, root.spanId);
  for (const tier of ["hot", "lexical"]) {
    const child = collector.span(`svc.recall.${tier}`);
    assert.equal(child.parentSpanId, recall.spanId);
    assert.deepEqual(attributesOf(child), { tier, candidates: 3 });
  }
  assert.equal(new Set(collector.spans().map((span) => span.traceId)).size, 1);
  assert.deepEqual(attributesOf(root), {
    "http.request.method": "POST",
    "svc.request_id": "r-1",
    "http.route": "/v1/memory/recall",
    "http.response.status_code": 200,
  });
  const resource = attributesOf(collector.resources()[0].resource);
  assert.equal(resource["service.name"], "memory");
  assert.equal(resource["service.version"], "3");
});

Deno.test("the caller's trace is continued and handed on", async () => {
  await using collector = startCollector();
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const parent = "00f067aa0ba902b7";
  const outgoing = new Headers();
  await withTracer({ endpoint: collector.endpoint }, async (tracer) => {
    const headers = new Headers({ traceparent: `00-${traceId}-${parent}-01`, tracestate: "vendor=1" });
    await tracer.request({ method: "GET", requestId: "r", headers }, async () => {
      await tracer.span("svc.embed", {}, async () => tracer.inject(outgoing));
    });
    const broken = new Headers({ traceparent: "00-zz-zz-01" });
    await tracer.request({ method: "PUT", requestId: "r", headers: broken }, async () => {});
  });
  assert.equal(collector.span("GET").traceId, traceId);
  assert.equal(collector.span("GET").parentSpanId, parent);
  assert.equal(outgoing.get("traceparent"), `00-${traceId}-${collector.span("svc.embed").spanId}-01`);
  assert.equal(outgoing.get("tracestate"), "vendor=1");
  assert.notEqual(collector.span("PUT").traceId, traceId);
  assert.ok(!collector.span("PUT").parentSpanId);
});

Deno.test("work that was measured in pieces becomes a finished child with its own times", async () => {
  await using collector = startCollector();
  await withTracer({ endpoint: collector.endpoint }, async (tracer) => {
    tracer.record("outside", {}, 0, 1);
    await tracer.span("svc.recall", {}, async () => {
      const now = performance.now();
      tracer.record("svc.recall.lexical", { tier: "lexical", skipped: undefined }, now - 20, now - 5);
    });
  });
  const child = collector.span("svc.recall.lexical");
  assert.equal(child.parentSpanId, collector.span("svc.recall").spanId);
  assert.deepEqual(attributesOf(child), { tier: "lexical" });
  const ms = (BigInt(child.endTimeUnixNano) - BigInt(child.startTimeUnixNano)) / 1_000_000n;
  assert.ok(ms >= 14n && ms <= 16n, `${ms} ms`);
  assert.equal(collector.spans().length, 2);
});

Deno.test("spans tell the kind of an error and never its message", async () => {
  await using collector = startCollector();
  await withTracer({ endpoint: collector.endpoint }, async (tracer) => {
    const fail = (name: string, error: unknown) =>
      assert.rejects(tracer.span(name, {}, () => Promise.reject(error)), (thrown) => thrown === error);
    await fail("refused", new ServiceError("not_found", "canary-message"));
    await fail("down", new ServiceError("unavailable", "canary-message"));
    await fail("fault", new TypeError("canary-message"));
    await tracer.request(
      { method: "BREW", requestId: "r", headers: new Headers() },
      async (span) => span.setStatus(503),
    );
  });
  const seen = (name: string) => [attributesOf(collector.span(name))["error.type"], collector.span(name).status.code];
  assert.deepEqual(seen("refused"), ["not_found", 0]);
  assert.deepEqual(seen("down"), ["unavailable", 2]);
  assert.deepEqual(seen("fault"), ["TypeError", 2]);
  assert.deepEqual(seen("_OTHER"), ["503", 2]);
  assert.ok(!collector.text().includes("canary"));
});

Deno.test("no span carries a query, a header or a secret", async () => {
  await using collector = startCollector();
  const telemetry = createTelemetry({
    log: { sink() {} },
    tracing: { endpoint: collector.endpoint },
    secrets: ["configured-canary"],
  });
  const headers = new Headers({ authorization: "Bearer svc_live_canary123456", cookie: "a=canary" });
  await telemetry.tracer.request({ method: "GET", requestId: "svc_live_canary123456", headers }, async (span) => {
    span.set({ note: "mk_admin_canary123 postgres://u:canary@h/d configured-canary", long: "x".repeat(5_000) });
    await telemetry.tracer.span("svc.write", { note: "GET /x?token=canary" }, async () => {});
  });
  await telemetry.shutdown();
  assert.equal(collector.spans().length, 2);
  assert.ok(!collector.text().includes("canary"), collector.text());
  assert.equal(String(attributesOf(collector.span("GET")).long).length, 1_024);
});

Deno.test("protobuf is spoken when asked for, with the configured headers and the traces endpoint as it is", async () => {
  await using collector = startCollector(() => new Response(null));
  const tracesEndpoint = `${collector.endpoint}/custom/path`;
  const headers = { "x-tenant": "t1" };
  await withTracer(
    { endpoint: "http://127.0.0.1:1", tracesEndpoint, headers, protocol: "http/protobuf" },
    async (tracer) => {
      await tracer.span("svc.write", {}, async () => {});
    },
  );
  const [request] = collector.requests;
  assert.equal(request.path, "/custom/path");
  assert.equal(request.headers.get("content-type"), "application/x-protobuf");
  assert.equal(request.headers.get("x-tenant"), "t1");
  assert.ok(collector.text().includes("svc.write"));
});

Deno.test("a base endpoint with a path keeps it", async () => {
  await using collector = startCollector();
  await withTracer({ endpoint: `${collector.endpoint}/otlp/` }, (tracer) => tracer.span("a", {}, async () => {}));
  assert.equal(collector.requests[0].path, "/otlp/v1/traces");
});

Deno.test("samplers decide, and an unusable option is refused", async () => {
  await using collector = startCollector();
  const sampled = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const count = async (options: TracingOptions, headers: Headers) => {
    const before = collector.spans().length;
    await withTracer({ endpoint: collector.endpoint, ...options }, async (tracer) => {
      await tracer.request({ method: "GET", requestId: "r", headers }, (span) => {
        span.set({ a: 1 });
        span.setRoute("/x");
        return tracer.span("child", {}, async () => {});
      });
    });
    return collector.spans().length - before;
  };
  assert.equal(await count({ sampler: "always_on" }, new Headers()), 2);
  assert.equal(await count({ sampler: "always_off" }, new Headers({ traceparent: sampled })), 0);
  assert.equal(await count({ sampler: "parentbased_always_off" }, new Headers({ traceparent: sampled })), 2);
  assert.equal(await count({ sampler: "parentbased_always_off" }, new Headers()), 0);
  assert.equal(await count({ sampler: "traceidratio", samplerArg: 0 }, new Headers()), 0);
  assert.equal(await count({ sampler: "parentbased_traceidratio", samplerArg: 1 }, new Headers()), 2);
  for (const bad of [{ samplerArg: 1.5 }, { samplerArg: NaN }, { endpoint: "ftp://x" }, { endpoint: "nonsense" }]) {
    assert.throws(() => createTracer({ endpoint: collector.endpoint, ...bad }), { code: "validation_failed" });
  }
});

Deno.test("a collector that is gone costs spans, not requests, and is told once", async () => {
  const lines: { event: string; spansLost?: number }[] = [];
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  const telemetry = createTelemetry({
    log: { sink: (line) => lines.push(JSON.parse(line)) },
    tracing: { endpoint: `http://127.0.0.1:${port}`, exportTimeoutMs: 200, queueSpansMax: 100, batchSpansMax: 10 },
  });
  for (let i = 0; i < 1_000; i++) assert.equal(await telemetry.tracer.span("a", {}, async () => i), i);
  await telemetry.shutdown();
  await telemetry.shutdown();
  assert.deepEqual(lines.map((line) => line.event), ["tracing.export_failed"]);
});

Deno.test("a collector that answers again is told too", async () => {
  const lines: { event: string }[] = [];
  let status = 400;
  await using collector = startCollector(() => new Response(status === 200 ? "{}" : "no", { status }));
  await using telemetry = createTelemetry({
    log: { sink: (line) => lines.push(JSON.parse(line)) },
    tracing: { endpoint: collector.endpoint, exportTimeoutMs: 500 },
  });
  for (status of [400, 400, 200, 200]) {
    await telemetry.tracer.span("a", {}, async () => {});
    await telemetry.tracer.flush();
  }
  assert.deepEqual(lines.map((line) => line.event), ["tracing.export_failed", "tracing.export_recovered"]);
});

Deno.test("shutdown ends in time with a collector that never answers", async () => {
  const never = Promise.withResolvers<Response>();
  await using collector = startCollector(() => never.promise);
  const exportTimeoutMs = 600_000;
  const tracer = createTracer({ endpoint: collector.endpoint, exportTimeoutMs, shutdownTimeoutMs: 50 });
  await tracer.span("a", {}, async () => {});
  // The collector answers only after this has ended.
  await tracer.shutdown();
  never.resolve(new Response("{}"));
  await tracer.flush();
});

Deno.test("shutdown waits for a batch under way when another one was refused", async () => {
  let calls = 0;
  let answered = 0;
  await using collector = startCollector(async () => {
    if (++calls === 2) return new Response("no", { status: 400 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    answered++;
    return new Response("{}");
  });
  const tracer = createTracer({
    endpoint: collector.endpoint,
    queueSpansMax: 30,
    batchSpansMax: 10,
    batchDelayMs: 60_000,
  });
  await Promise.all(Array.from({ length: 25 }, () => tracer.span("a", {}, async () => {})));
  await tracer.shutdown();
  assert.equal(collector.requests.length, 3);
  assert.equal(answered, 2);
});

Deno.test("without an endpoint tracing is off and runs the work as it is", async () => {
  const tracer = createTracer({});
  assert.equal(tracer, noopTracer);
  assert.equal(createTracer({ endpoint: "" }).enabled, false);
  const headers = new Headers();
  const start = { method: "GET", requestId: "r", headers };
  const result = await tracer.request(start, (request) => {
    request.setRoute("/x");
    tracer.inject(headers);
    return tracer.span("svc.recall", {}, async (span) => (span.fail("x"), span.set({ a: 1 }), span.recording));
  });
  assert.equal(result, false);
  assert.equal([...headers].length, 0);
  assert.equal(tracer.traceId(), undefined);
  await tracer.flush();
  await tracer.shutdown();
});

Deno.test("two services in one process trace apart", async () => {
  await using one = startCollector();
  await using two = startCollector();
  await withTracer(
    { endpoint: one.endpoint },
    (first) =>
      withTracer(
        { endpoint: two.endpoint },
        (second) => first.span("outer", {}, () => second.span("inner", {}, async () => {})),
      ),
  );
  assert.ok(!two.span("inner").parentSpanId);
  assert.notEqual(one.span("outer").traceId, two.span("inner").traceId);
});

Deno.test("the exporter takes its headers from the environment, and the service name stands above the environment's", async () => {
  await using collector = startCollector();
  const script = `
    import { createTracer } from ${JSON.stringify(new URL("./tracing.ts", import.meta.url).href)};
    const tracer = createTracer({ endpoint: ${JSON.stringify(collector.endpoint)}, serviceName: "named" });
    await tracer.span("a", {}, async () => {});
    await tracer.shutdown();
  `;
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", script],
    cwd: new URL("../../", import.meta.url),
    env: {
      OTEL_EXPORTER_OTLP_HEADERS: "x-team=blue,authorization=Basic%20abc",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test,service.name=other",
    },
  }).output();
  assert.ok(success);
  const [request] = collector.requests;
  assert.deepEqual([request.headers.get("x-team"), request.headers.get("authorization")], ["blue", "Basic abc"]);
  const resource = attributesOf(collector.resources()[0].resource);
  assert.deepEqual([resource["service.name"], resource["deployment.environment"]], ["named", "test"]);
});

Deno.test("telemetry for tests writes and sends nothing, and counts", async () => {
  await using telemetry = noopTelemetry();
  telemetry.log.error("nothing");
  telemetry.metrics.countTokensSaved("packing", 2);
  assert.match((await telemetry.metrics.render()).body, /svc_tokens_saved_total\{mechanism="packing"\} 2/);
  assert.equal(telemetry.tracer.enabled, false);
});
