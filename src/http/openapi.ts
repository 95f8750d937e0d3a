/** The OpenAPI 3.1 document, made from the routes when the service starts. Interface §4.11, §9. */
import { OpenAPIHono } from "@hono/zod-openapi";
import { QUERY_CHARS_MAX, QUERY_PARAMETERS_MAX } from "../edge/query_limits.ts";
import { FAULTS_MAX } from "../schema/faults.ts";
import { JSON_DEPTH_MAX, JSON_LIMITS } from "../schema/json_text.ts";
import type { Endpoint, Group } from "./route.ts";
import packageInfo from "../../deno.json" with { type: "json" };

export const SERVER_VERSION: string = packageInfo.version;

/** Describes `endpoints`; the declared server is `/v1`, operational paths carry a server of their own. */
export function describeApi(endpoints: readonly Endpoint[], groups: readonly Group[]) {
  // Only its registry is used: requests are routed and validated by `app.ts` and `input.ts`.
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
  for (const endpoint of endpoints) registry.registerPath(describeTwin(endpoint, endpoints));
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
    tags: groups.toSorted((a, b) => a.name < b.name ? -1 : 1),
  }));
}

/** What is limited of a caller; each operation says what it costs beyond one request. */
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

/** What a reader is told of an operation that has a newer path. */
function describeTwin(endpoint: Endpoint, endpoints: readonly Endpoint[]): Endpoint["route"] {
  const { operation, route } = endpoint;
  const newer = operation && endpoints.find((one) => one.operation === operation && !one.route.deprecated);
  if (!route.deprecated || newer === undefined) return route;
  const { method, path } = newer.route;
  return {
    ...route,
    description: `Deprecated: \`${method.toUpperCase()} /v1${path}\` does the same.\n\n${route.description}`,
  };
}
