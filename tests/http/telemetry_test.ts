/** The traces of a request in log, metrics and spans, over a real connection through the service's middleware. */
import assert from "node:assert/strict";
import { Hono } from "hono";
import type { Deps } from "../../src/context.ts";
import { createHttpApp } from "../../src/http/app.ts";
import { type ObservedEnv, observeHono, replyToError } from "../../src/http/observed.ts";
import { createTelemetry } from "../../src/telemetry/telemetry.ts";

const KEY = "svc_live_canaryKeyId_canarySecret0123456789";
const WORKSPACE = "019a1b2c-3d4e-7f00-8000-0123456789ab";

/** A collector and a listening service whose routes answer, refuse and fault. */
async function startObserved() {
  await using stack = new AsyncDisposableStack();
  const exported: string[] = [];
  const collector = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    exported.push(await request.text());
    return Response.json({});
  });
  stack.defer(() => collector.shutdown());
  const lines: string[] = [];
  const telemetry = stack.use(createTelemetry({
    log: { sink: (line) => lines.push(line) },
    tracing: { endpoint: `http://127.0.0.1:${collector.addr.port}` },
  }));
  // The middleware reads nothing of the parts but their telemetry.
  const deps = { telemetry } as Deps;
  const app = new Hono<ObservedEnv>();
  app.use(observeHono(deps));
  app.onError(replyToError(deps) as never);
  app.get("/v1/facts/:id", (c) => {
    c.var.observed.route = "/v1/facts/{id}";
    c.var.observed.workspaceId = WORKSPACE;
    if (c.req.param("id") === "fault") throw new Error(`canary postgres://svc:canary@db/svc with ${KEY}`);
    return telemetry.tracer.span("svc.recall", {}, async () => c.json({ id: 1 }));
  });
  // Unmatched paths are answered by the service's own app; they need none of its other parts.
  const unmatched = createHttpApp(deps);
  const handler = (request: Request) =>
    new URL(request.url).pathname.startsWith("/v1/facts/") ? app.fetch(request) : unmatched.fetch(request);
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, handler);
  stack.defer(() => server.shutdown());
  const owned = stack.move();
  return {
    lines,
    telemetry,
    exported,
    call: async (path: string, headers: HeadersInit = {}) => {
      const response = await fetch(`http://127.0.0.1:${server.addr.port}${path}`, { headers });
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

Deno.test("T64: a request with secrets everywhere leaves one line and one tree of spans, without any of them", async () => {
  await using service = await startObserved();
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const headers = {
    authorization: `Bearer ${KEY}`,
    cookie: "session=canary",
    traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
    "x-request-id": "asked-for-1",
  };
  const ok = await service.call("/v1/facts/canary-in-path?token=canary&q=canary", headers);
  assert.equal(ok.status, 200);
  const fault = await service.call("/v1/facts/fault?token=canary", headers);
  assert.equal(fault.status, 500);
  assert.ok(!fault.text.includes("canary"));
  await service.telemetry.shutdown();

  const requests = service.lines.map((line) => JSON.parse(line)).filter((line) => line.event === "http.request");
  assert.equal(requests.length, 2);
  const { requestId, method, route, status, workspaceId } = requests[0];
  assert.deepEqual(
    [requestId, method, route, status, workspaceId, requests[0].traceId],
    ["asked-for-1", "GET", "/v1/facts/{id}", 200, WORKSPACE, traceId],
  );
  assert.deepEqual([requests[1].level, requests[1].errorCode], ["error", "internal"]);
  const spans = service.exported.join("\n");
  assert.ok(spans.includes("GET /v1/facts/{id}") && spans.includes("svc.recall") && spans.includes(traceId));
  assert.ok(!spans.includes("canary"), spans);
  // The fault's own line may contain the error's words, but never a key or a password.
  const log = service.lines.join("\n");
  for (const secret of ["canarySecret", "svc:canary", "token=canary", "session=canary", "canary-in-path"]) {
    assert.ok(!log.includes(secret), secret);
  }
  const { body } = await service.telemetry.metrics.render();
  assert.ok(!body.includes("canary"));
});

Deno.test("T63: 10,000 random paths leave the labels of the metrics and the names of the spans constant", async () => {
  await using service = await startObserved();
  const seriesOf = async () =>
    (await service.telemetry.metrics.render()).body.split("\n").filter((l) => /^svc_/.test(l));
  await service.call("/first");
  const before = (await seriesOf()).length;
  for (let i = 0; i < 10_000; i += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, j) => service.call(`/wp-admin/${i + j}/${crypto.randomUUID()}`)));
  }
  const series = await seriesOf();
  assert.equal(series.length, before);
  assert.ok(series.includes('svc_requests_total{method="GET",endpoint="unmatched",status="404"} 10001'));
  assert.ok(series.includes('svc_errors_total{method="GET",endpoint="unmatched",type="not_found"} 10001'));
  await service.telemetry.shutdown();
  assert.ok(!service.exported.join("").includes("wp-admin"));
  assert.ok(!service.lines.join("").includes("wp-admin"));
});
