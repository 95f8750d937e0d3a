/** The OpenAPI 3.1 document, made from the routes when the service starts. Interface §4.11, §9. */
import { OpenAPIHono } from "@hono/zod-openapi";
import { QUERY_CHARS_MAX, QUERY_PARAMETERS_MAX } from "../edge/query_limits.ts";
import { FAULTS_MAX } from "../schema/faults.ts";
import { JSON_DEPTH_MAX, JSON_LIMITS } from "../schema/json_text.ts";
import type { Endpoint } from "./endpoint.ts";
import packageInfo from "../../deno.json" with { type: "json" };

export const SERVER_VERSION: string = packageInfo.version;

/** Describes `endpoints`; the declared server is `/v1`, operational paths carry a server of their own. */
export function describeApi(endpoints: readonly Endpoint[]) {
  // Only its registry is used: requests are routed and validated by `app.ts` and `endpoint.ts`.
  const api = new OpenAPIHono();
  const registry = api.openAPIRegistry;
  registry.registerComponent("securitySchemes", "BearerAuth", {
    type: "http",
    scheme: "bearer",
    bearerFormat: "API Key",
    description:
      "A key of the form `svc_live_…`. The workspace is derived from it. Below `/admin` an admin's: a key of the form `mk_admin_…`, or the configured token.",
  });
  for (const [name, description] of Object.entries(LIMIT_HEADERS)) {
    registry.registerComponent("headers", name, { description, schema: { type: "string" } });
  }
  for (const { route } of endpoints) registry.registerPath(route);
  return nameNulls(api.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "svc",
      version: SERVER_VERSION,
      description: "Workspace-scoped memory and knowledge for software agents.\n\n" +
        "Every operation that changes something takes an `Idempotency-Key`. An operation without that parameter only " +
        "reads, whatever its method: there a repetition does no harm, and the header says nothing.\n\n" +
        `A query has at most ${QUERY_PARAMETERS_MAX} parameters and ${QUERY_CHARS_MAX} characters. JSON has at most ` +
        `${JSON_DEPTH_MAX} levels, ${JSON_LIMITS.membersOfOneMax} members in one object, ${JSON_LIMITS.membersMax} in ` +
        `all, and ${JSON_LIMITS.valuesMax} values. Of many faults the first ${FAULTS_MAX} are told, and how many more ` +
        "there are.\n\n" + LIMITS,
    },
    servers: [{ url: "/v1" }],
    tags: tagsOf(endpoints),
  }));
}

/** What is limited of a caller; `src/edge/costs.ts` says what costs more than one request. */
const LIMITS =
  "A key has a rate (requests a minute and at once; some operations cost several), a number of requests that " +
  "may be under way at once, and seconds a minute for which its transactions may use the database; a workspace has the " +
  "latter two for all its keys together, and a number of heavy requests. Who has too many under way waits a few seconds for " +
  "its turn; everything else beyond a limit is `rate_limited` with `Retry-After`. Every reply to a key says its limits in " +
  "`RateLimit-Policy` and what is left of them in `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10). Streams count " +
  "among the streams of their key instead.";

const LIMIT_HEADERS: Readonly<Record<string, string>> = {
  "Retry-After": "Seconds after which the same request may be accepted",
  RateLimit:
    'What is left: `"burst";r=119;t=1, "concurrent";r=31, "database";r=179;t=1`, with the seconds until all is back',
  "RateLimit-Policy":
    'The limits: `"minute";q=600;w=60, "burst";q=120;w=12`, and with their unit (`qu`) those of requests under way ' +
    "(`concurrent`, `workspace-concurrent`, `workspace-heavy`) and of database seconds (`database`, `workspace-database`)",
};

/**
 * A named schema or null: the library writes "of that schema and also a string or null", which no null satisfies.
 * Here it becomes "of that schema, or null".
 */
function nameNulls<T>(node: T): T {
  if (typeof node !== "object" || node === null) return node;
  if (Array.isArray(node)) return node.map(nameNulls) as T;
  const members = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, nameNulls(value)]));
  const { allOf, ...rest } = members as { allOf?: Record<string, unknown>[] };
  const last = allOf?.at(-1);
  if (!allOf || !last || !Array.isArray(last["type"]) || !last["type"].includes("null")) return members as T;
  const { type: _, ...annotations } = last;
  return { ...rest, ...annotations, anyOf: [...allOf.slice(0, -1), { type: "null" }] } as T;
}

/** What each group of operations is about; a group without a line here fails the linter in the tests. */
const TAG_DESCRIPTIONS: Readonly<Record<string, string>> = {
  "admin/api-keys": "API keys of workspaces, under an admin's bearer: created, listed, changed",
  "admin/break-glass": "Access of admins to workspaces: asked for, approved by a second admin, for a time",
  "admin/keys": "API keys of workspaces, under an admin's bearer: rotated, revoked",
  "admin/workspaces": "Workspaces, under an admin's bearer",
  audit: "The audit log: who saw, changed or was refused what, in a chain that can be verified",
  decisions: "Decisions (v2): a choice with its rationale, and the chain of what took its place",
  docs: "The interactive reference",
  entities: "Entities (v2): people, places, things, found or created by name",
  episodes: "Episodes (v2): what happened, with the facts that came of it",
  export: "Export (v2): the workspace as JSONL",
  facts: "Facts (v2): create, read, change, pin, forget, restore, with citations and history",
  graph: "Units and the edges between them, with places for drawing",
  health: "Liveness, readiness and the vitals of a workspace",
  healthz: "Liveness",
  "memory/admin": "Administration: consolidation, jobs, usage statistics, export and import (v3)",
  import: "Import (v2): an export, or memories of other services",
  "memory/changes": "The change feed: what changed, in order, by cursor",
  "memory/decisions": "Decisions (v3): a choice with its rationale, and the chain of what took its place",
  "memory/entities": "Entities (v3): people, places, things, found or created by name",
  "memory/episodes": "Episodes (v3): what happened, with the facts that came of it, in order of time",
  "memory/events": "Events: append-only, by time, agent and type",
  "memory/facts": "Facts (v3): create with conflict detection, batches, revisions",
  "memory/governance": "What units are worth, the consolidation gate, drift",
  "memory/health": "The health snapshot of a workspace",
  "memory/procedural": "Procedural memory: playbooks of agents that evolve by their runs, in versions",
  "memory/reasoning": "Reasoning distillation: chains that were recorded once and are served while they hold",
  "memory/recall": "Hybrid retrieval in tiers, without a language model",
  "memory/relations": "Relations (v3): the nine verbs between units, hyperedges, traversal",
  "memory/skills": "Skills: reusable capabilities, on trial until their outcomes say that they are reliable",
  "memory/strategies": "Strategies: what to do in a kind of situation, and how often it worked",
  "memory/tasks": "Tasks of agents: states, dependencies, leases, delegation",
  "memory/units": "Units of any type by id, as a list of links names them",
  "memory/timeline": "The global timeline (v3): units, events, turns and tasks in order of time, counted over time",
  "memory/workflows": "Workflows: recipes of several steps",
  metrics: "Metrics in the Prometheus text format",
  "openapi.json": "This document",
  recall: "Hybrid retrieval (v2)",
  relations: "Relations (v2): the nine verbs between units of any types",
  review: "The queue of what needs a person: contested facts, near-duplicates, self-edits beyond an agent's right",
  self: "What an agent does to its own memory: edits that can be listed and reverted, reflection, its profile",
  session: "Sessions: turns kept verbatim, a scratchpad, context, collapse into knowledge",
  stream: "Live feeds over WebSocket, and tickets with which browsers open them",
  timeline: "Episodes and events (v2) in order of time, counted over time",
};

function tagsOf(endpoints: readonly Endpoint[]) {
  const names = new Set(endpoints.flatMap((endpoint) => endpoint.route.tags ?? []));
  return [...names].sort().map((name) => ({
    name,
    ...(TAG_DESCRIPTIONS[name] !== undefined && { description: TAG_DESCRIPTIONS[name] }),
  }));
}
