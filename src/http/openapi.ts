/** The OpenAPI 3.1 document, made from the routes when the service starts. */
import { OpenAPIHono } from "@hono/zod-openapi";
import { QUERY_CHARS_MAX, QUERY_PARAMETERS_MAX } from "../edge/query_limits.ts";
import { FAULTS_MAX } from "../schema/faults.ts";
import { JSON_DEPTH_MAX, JSON_LIMITS } from "../schema/json_text.ts";
import { errorReplies } from "./describe_route.ts";
import { TenantToken } from "../schema/tenant.ts";
import { Problem } from "./problem.ts";
import { StreamClientMessage, StreamServerMessage } from "../schema/stream.ts";
import { type Endpoint, type Group, SECTIONS } from "./route.ts";
import { shareComponents } from "./share_components.ts";
import packageInfo from "../../deno.json" with { type: "json" };

export const SERVER_VERSION: string = packageInfo.version;

/** Describes `endpoints`; the declared server is `/v1`, operational paths have a server of their own. */
export function describeApi(endpoints: readonly Endpoint[], groups: readonly Group[]) {
  // Only its registry is used: requests are routed and validated by `app.ts` and `input.ts`.
  const api = new OpenAPIHono();
  const registry = api.openAPIRegistry;
  registry.registerComponent("securitySchemes", "BearerAuth", {
    type: "http",
    scheme: "bearer",
    bearerFormat: "API Key",
    description:
      "A key of the form `svc_live_…`, which decides the workspace. Operations below `/admin` take an admin's bearer instead: a key of the form `mk_admin_…`, or the configured token; those on tenants also a broker's key, `mk_broker_…`.",
  });
  for (const [name, description] of Object.entries(LIMIT_HEADERS)) {
    registry.registerComponent("headers", name, { description, schema: { type: "string" } });
  }
  registry.registerComponent("headers", "ETag", { description: "The version", schema: { type: "string" } });
  // Copies: a schema from before the library was loaded lacks the method by which the registry names it.
  for (const [name, schema] of Object.entries({ Problem, StreamClientMessage, StreamServerMessage, TenantToken })) {
    registry.register(name, schema.clone());
  }
  // The library would write a union of unions without names.
  registry.registerComponent("schemas", "StreamMessage", {
    description: "A message on a stream, either way",
    anyOf: [{ $ref: "#/components/schemas/StreamClientMessage" }, { $ref: "#/components/schemas/StreamServerMessage" }],
  });
  for (const endpoint of endpoints) {
    registry.registerPath(describeTwin(endpoint, endpoints));
    for (const { name, response } of errorReplies(endpoint.route.method, endpoint)) {
      registry.registerComponent("responses", name, response);
    }
  }
  const document = nameNulls(api.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "svc",
      version: SERVER_VERSION,
      description: OPENING,
      // The operator of an instance is responsible for it; the repository names nobody.
      license: LICENCE,
      contact: { name: "The operator of this instance" },
    },
    servers: [{ url: "/v1" }],
    security: [{ BearerAuth: [] }],
    tags: [...groups.map(({ name, description }) => ({ name, description })), CONVENTIONS],
    "x-tagGroups": SECTIONS.map((section, i) => ({
      name: section,
      tags: [
        ...groups.filter((group) => group.section === section).map(({ name }) => name),
        ...(i === 0 ? [CONVENTIONS.name] : []),
      ],
    })),
  }));
  return shareComponents({ ...document, paths: sortPaths(document.paths ?? {}, endpoints, groups) } as never);
}

/**
 * Sorts the paths by their groups; within a group newer paths come first and deprecated ones last.
 * They are sorted when the document is made, because the library shapes a named schema by the first
 * use that is registered.
 */
function sortPaths<Path>(
  paths: Readonly<Record<string, Path>>,
  endpoints: readonly Endpoint[],
  groups: readonly Group[],
): Record<string, Path> {
  const places = new Map(groups.map(({ name }, place) => [name, place]));
  const keys = new Map<string, string>();
  for (const { route: { tags, path, deprecated } } of endpoints) {
    const place = String(places.get(tags![0]!)).padStart(3, "0");
    const key = [place, deprecated ? "1" : "0", path.startsWith("/memory/") ? "0" : "1", path].join(" ");
    if (key < (keys.get(path) ?? "~")) keys.set(path, key);
  }
  const keyOf = ([path]: readonly [string, Path]) => keys.get(path) ?? "~";
  return Object.fromEntries(Object.entries(paths).sort((a, b) => keyOf(a) < keyOf(b) ? -1 : 1));
}

/** OpenAPI 3.1 knows `identifier`; the library's type is that of 3.0. */
const LICENCE: { readonly name: string } & Readonly<Record<string, string>> = {
  name: "Proprietary, no licence is granted",
  identifier: "LicenseRef-Proprietary",
};

/** The introduction of the reference: what to do first. The links are places on its page. */
const OPENING = [
  "Memory and knowledge for software agents. An agent stores what it hears and learns, and gets the right pieces back, " +
  "with their sources and how far they can be trusted.",
  "Put your key (`svc_live_…`) under *Authentication*: this tab keeps it. The examples below can be sent as they are:",
  [
    "1. [Start a session](#tag/sessions/POST/session)",
    "2. [Add a turn](#tag/sessions/POST/session/{id}/turns) to it, with the `id` of the reply",
    "3. [Ask](#tag/recall/POST/memory/recall): what was told is found at once",
    "4. [Store a fact](#tag/facts/POST/memory/facts)",
  ].join("\n"),
  "What holds for all operations, such as errors, repeating and limits, stands under [Conventions](#tag/conventions).",
].join("\n\n");

/** A group without operations: what holds for all of them. `docs/reference/wire.md` explains the same in detail. */
const CONVENTIONS = {
  name: "Conventions",
  description: [
    "**Errors** are `application/problem+json`. Decide by `code`, which is stable; `message` is for people. What belongs to " +
    "another workspace, or is above the key's clearance, is answered like something that never existed.",
    "**Repeating.** Every operation that changes something takes an `Idempotency-Key`: the same key with the same " +
    "request gets the first reply for 24 hours. Operations without that parameter are safe to repeat.",
    "**Versions.** Resources that change have a `version`, which is also their `ETag`. `If-Match` makes a change fail with " +
    "412 if the resource has another version by then.",
    "**Older paths.** Some operations have a second, older path. It is marked as deprecated, and works on the same data.",
    "**Limits.** A key has a rate (requests per minute, and at once), a number of requests in progress, and seconds per " +
    "minute for which its transactions may use the database. A workspace has the latter two for all its keys together, and " +
    "a number of heavy requests in progress. If too many are in progress, a request waits a few seconds for its turn; every " +
    "other excess is `rate_limited` with `Retry-After`. Each operation says what it costs beyond one request. Replies state " +
    "the limits in `RateLimit-Policy` and what is left of them in `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10). " +
    "Streams count among the streams of their key instead.",
    `**Sizes.** A query has at most ${QUERY_PARAMETERS_MAX} parameters and ${QUERY_CHARS_MAX} characters. JSON has at most ` +
    `${JSON_DEPTH_MAX} levels, ${JSON_LIMITS.membersOfOneMax} members in one object, ${JSON_LIMITS.membersMax} members in ` +
    `total, and ${JSON_LIMITS.valuesMax} values. A refusal lists the first ${FAULTS_MAX} faults and counts the others.`,
  ].join("\n\n"),
};

const LIMIT_HEADERS: Readonly<Record<string, string>> = {
  "Retry-After": "Seconds after which the same request may be accepted",
  RateLimit: "What is left of each limit (`r`), and the seconds until all of it is back (`t`): " +
    '`"burst";r=119;t=1, "concurrent";r=31, "database";r=179;t=1`',
  "RateLimit-Policy":
    'The limits: `"minute";q=600;w=60, "burst";q=120;w=12`, and with their unit (`qu`) those of requests in progress ' +
    "(`concurrent`, `workspace-concurrent`, `workspace-heavy`) and of database seconds (`database`, `workspace-database`)",
};

/**
 * Corrects nullable named schemas: the library writes "this schema and also a string or null", which no null satisfies.
 * Here it becomes "this schema, or null".
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

type Body = NonNullable<NonNullable<Endpoint["route"]["request"]>["body"]>;

function withoutExamples(body: Body): Body {
  const content = Object.entries(body.content).map(([type, media]) => [type, { ...media, example: undefined }]);
  return { ...body, content: Object.fromEntries(content) };
}

/** Describes a deprecated path by the one that replaces it, which explains and shows the operation. */
function describeTwin(endpoint: Endpoint, endpoints: readonly Endpoint[]): Endpoint["route"] {
  const { operation, route } = endpoint;
  const newer = operation && endpoints.find((one) => one.operation === operation && !one.route.deprecated);
  if (!route.deprecated || newer === undefined) return route;
  const { method, path } = newer.route;
  const access = route.description!.split("\n\n").at(-1);
  return {
    ...route,
    ...(route.request?.body && { request: { ...route.request, body: withoutExamples(route.request.body) } }),
    description: `Deprecated: \`${method.toUpperCase()} /v1${path}\` does the same.\n\n${access}`,
  };
}
