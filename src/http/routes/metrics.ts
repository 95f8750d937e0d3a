/** `/metrics`, beside `/v1` and without a key. */
import { z } from "@hono/zod-openapi";
import { refuseMetricsStranger } from "../../domain/upkeep/health.ts";
import { AT_ROOT, rawRoute } from "../route.ts";

export { GROUP } from "./health.ts";

/** Metrics in the Prometheus text format; `SVC_METRICS_TOKEN` protects them, if it is set. */
export const getMetrics = rawRoute({
  method: "get",
  path: "/metrics",
  id: "getMetrics",
  summary: "Metrics",
  description: "Metrics in the Prometheus text format; behind `SVC_METRICS_TOKEN` where the operator sets one.",
  scope: "public",
  servers: AT_ROOT,
  errors: ["unauthenticated"],
  responses: {
    200: {
      description: "Text exposition",
      content: { "text/plain": { schema: z.string(), example: "# TYPE svc_requests_total counter\n" } },
    },
  },
}, async (ctx, { raw }) => {
  refuseMetricsStranger(ctx.deps, raw.headers.get("authorization"));
  const { contentType, body } = await ctx.deps.telemetry.metrics.render();
  return new Response(body, { headers: { "content-type": contentType } });
});
