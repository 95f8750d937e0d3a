/** Probes and metrics, beside `/v1` and without a key. Interface §4.11. */
import { z } from "@hono/zod-openapi";
import * as health from "../../domain/upkeep/health.ts";
import { rawEndpoint } from "../endpoint.ts";

/** These paths are not below the document's server, so each carries its own. */
const servers = [{ url: "/" }];

const Liveness = z.strictObject({ status: z.literal("ok") }).meta({ id: "Liveness" });
const Readiness = z.strictObject({
  status: z.enum(["ok", "unavailable"]),
  checks: z.record(z.string(), z.enum(["ok", "unavailable", "starting", "stopping", "deaf"])),
}).meta({ id: "Readiness" });

const alive = {
  200: { description: "The process is up", content: { "application/json": { schema: Liveness } } },
};

/** Liveness, without the database. */
export const getHealthz = rawEndpoint({
  method: "get",
  path: "/healthz",
  operationId: "getHealthz",
  summary: "Liveness",
  scope: "public",
  servers,
  responses: alive,
}, async () => Response.json({ status: "ok" }));

/** Liveness, without the database. */
export const getHealthLive = rawEndpoint({
  method: "get",
  path: "/health/live",
  operationId: "getHealthLive",
  summary: "Liveness",
  scope: "public",
  servers,
  responses: alive,
}, async () => Response.json({ status: "ok" }));

/** Readiness: the database, the key-value store where one is configured, and that other processes are heard. */
export const getHealthReady = rawEndpoint({
  method: "get",
  path: "/health/ready",
  operationId: "getHealthReady",
  summary: "Readiness",
  scope: "public",
  servers,
  responses: {
    200: { description: "Ready", content: { "application/json": { schema: Readiness } } },
    503: { description: "Not ready", content: { "application/json": { schema: Readiness } } },
  },
}, async (ctx) => {
  const readiness = await health.checkReadiness(ctx.deps);
  return Response.json(readiness, { status: readiness.status === "ok" ? 200 : 503 });
});

/** Metrics in the Prometheus text format; behind `SVC_METRICS_TOKEN` where one is set. */
export const getMetrics = rawEndpoint({
  method: "get",
  path: "/metrics",
  operationId: "getMetrics",
  summary: "Metrics",
  scope: "public",
  servers,
  errors: ["unauthenticated"],
  responses: { 200: { description: "Text exposition", content: { "text/plain": { schema: z.string() } } } },
}, async (ctx, { raw }) => {
  health.refuseMetricsStranger(ctx.deps, raw.headers.get("authorization"));
  const { contentType, body } = await ctx.deps.telemetry.metrics.render();
  return new Response(body, { headers: { "content-type": contentType } });
});
