/** `/v1/health`, and the probes at `/health`, beside `/v1` and without a key. */
import { z } from "@hono/zod-openapi";
import { checkReadiness, DISPENSABLE_CHECKS } from "../../domain/upkeep/health.ts";
import { getMemoryHealth } from "../../operations/health.ts";
import { commaList } from "../../schema/common.ts";
import { ALIVE } from "../liveness.ts";
import { alias, AT_ROOT, type Group, rawRoute } from "../route.ts";

export const GROUP: Group = {
  name: "Probes and metrics",
  section: "Operation",
  description: "Is the process alive, is the service ready; metrics in the Prometheus text format.",
};

export const getWorkspaceHealth = alias("get", "/health", getMemoryHealth, "getWorkspaceHealth");

const READINESS_STATES = [
  ...["ok", "unavailable", "starting", "stopping", "deaf", "building", "missing"] as const,
  // Of a replica.
  ...["behind", "promoted", "foreign"] as const,
] as const;

const Readiness = z.strictObject({
  status: z.enum(["ok", "unavailable"]),
  checks: z.record(z.string(), z.enum(READINESS_STATES)),
}).meta({ id: "Readiness", description: "Whether the service can do its work" });

const ReadinessQuery = z.strictObject({
  exclude: commaList(z.enum(DISPENSABLE_CHECKS), DISPENSABLE_CHECKS.length).optional().meta({
    description:
      "Checks that are shown and do not count, for a load balancer: the service works without its cache, and when it does not hear other processes. Any of `cache` and `notifications`",
  }),
});

/** Liveness, without the database. */
export const getHealthLive = rawRoute({
  method: "get",
  path: "/health/live",
  id: "getHealthLive",
  summary: "Liveness",
  description: "Answers as long as the process does, without the database.",
  scope: "public",
  servers: AT_ROOT,
  responses: ALIVE,
}, async () => Response.json({ status: "ok" }));

/** Readiness: the database, the key-value store if one is configured, and notifications from other processes. */
export const getHealthReady = rawRoute({
  method: "get",
  path: "/health/ready",
  id: "getHealthReady",
  summary: "Readiness",
  description:
    "Asks the database, the key-value store where one is configured, and whether changes of other processes are heard. " +
    "`writes` stands there while the database takes none, because its disk is full or it is a standby. " +
    "`vectorIndex` stands there, and does not count, while the nearest-neighbour index over a model's embeddings is being built or is missing; so do `embeddings: behind` while texts wait for a vector of the present model, `newerLinks: behind` while texts of an earlier build wait for links to newer ones, and `sentenceEncoder: degraded` while the table works without the encoder.",
  scope: "public",
  servers: AT_ROOT,
  query: ReadinessQuery,
  responses: {
    200: {
      description: "Ready",
      content: { "application/json": { schema: Readiness, example: { status: "ok", checks: { database: "ok" } } } },
    },
    503: { description: "Not ready", content: { "application/json": { schema: Readiness } } },
  },
}, async (ctx, { input }) => {
  const readiness = await checkReadiness(ctx.deps, input.query.exclude);
  return Response.json(readiness, { status: readiness.status === "ok" ? 200 : 503 });
});
