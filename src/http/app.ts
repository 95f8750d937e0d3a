/** The HTTP surface: every endpoint of the registry on one Hono app, with the OpenAPI document that describes them. */
import { type Context, Hono } from "hono";
import type { Deps } from "../context.ts";
import { ServiceError } from "../errors.ts";
import { admit } from "../edge/admit.ts";
import { readBytes } from "../edge/read_bytes.ts";
import { ENDPOINTS, GROUPS } from "./endpoints.ts";
import { addConsole, isConsoleCall, routedPath } from "./console.ts";
import { readCredentials } from "./console_request.ts";
import type { HttpRequest } from "./input.ts";
import { addDiscovery } from "./oauth/discovery.ts";
import { addOAuth } from "./oauth/endpoints.ts";
import { type ObservedEnv, observeHono, replyToError } from "./observed.ts";
import { describeApi } from "./openapi.ts";
import type { Endpoint } from "./route.ts";
import { makeSharedFile, type SharedFile, type SharedFileLimits, SharedFiles } from "./shared_file.ts";

export interface HttpOptions {
  /** Checks every reply against its declared schema; for tests. */
  readonly checkReplies?: boolean;
  /** Leaves the OpenAPI document to be made by its first reader, not at boot; for tests. */
  readonly lazyDocument?: boolean;
  /** Limits on readers of the public files: their number, and how slow they may be. */
  readonly sharedFiles?: Partial<SharedFileLimits>;
}

/** The path of an endpoint on the port: below `/v1`, except for the operational ones. */
export function pathOf(endpoint: Endpoint): string {
  const base = endpoint.route.servers ? "" : "/v1";
  return base + endpoint.route.path;
}

let document: SharedFile | undefined;

/** The OpenAPI document of all endpoints, made once in a process. */
function apiDocument(): SharedFile {
  return document ??= makeSharedFile(
    "application/json",
    new TextEncoder().encode(JSON.stringify(describeApi(ENDPOINTS, GROUPS))),
  );
}

export function createHttpApp(deps: Deps, options: HttpOptions = {}): Hono<ObservedEnv> {
  // Made at boot, so that a fault in a schema shows there and the first reader does not wait.
  if (!options.lazyDocument) apiDocument();
  const surface: Surface = {
    deps,
    checkReply: options.checkReplies === true,
    sharedFiles: new SharedFiles(options.sharedFiles),
  };
  const app = new Hono<ObservedEnv>({ getPath: routedPath });
  app.use(observeHono(deps));
  const refuse = replyToError(deps);
  app.onError(refuse as never);
  addConsole(app, surface);
  addDiscovery(app, deps);
  addOAuth(app, deps);
  // The first match is taken, so literal names come before parameters: `/relations/verbs` before `/relations/{id}`.
  const isNamed = (endpoint: Endpoint) => !pathOf(endpoint).includes("{");
  for (const endpoint of [...ENDPOINTS.filter(isNamed), ...ENDPOINTS.filter((endpoint) => !isNamed(endpoint))]) {
    const template = pathOf(endpoint);
    app.on(endpoint.route.method.toUpperCase(), toHonoPath(template), (c) => {
      c.var.observed.route = template;
      return handle(surface, endpoint, c);
    });
  }
  // They come after all endpoints, because handlers run in the order of registration: `/facts/{id}` also matches
  // `/facts/batch`.
  for (const [template, endpoints] of Map.groupBy(ENDPOINTS, pathOf)) {
    const allow = endpoints.map((endpoint) => endpoint.route.method.toUpperCase()).join(", ");
    app.all(toHonoPath(template), (c) => {
      c.var.observed.route = template;
      throw new ServiceError("method_not_allowed", `Cannot ${c.req.method} here: allowed is ${allow}`, {
        headers: { allow },
      });
    });
  }
  // If this handler threw, Hono would catch it only outside the middleware, and nothing would observe it.
  app.notFound((c) => refuse(new ServiceError("not_found", "Cannot find this path"), c));
  return app;
}

function toHonoPath(template: string): string {
  return template.replaceAll(/\{(\w+)\}/g, ":$1");
}

/** Shared by all requests. */
interface Surface {
  readonly deps: Deps;
  readonly checkReply: boolean;
  readonly sharedFiles: SharedFiles;
}

/** The fixed order of checks: size, key, address, region, scope, rate, idempotency, then body and workspace data. */
async function handle(surface: Surface, endpoint: Endpoint, c: Context<ObservedEnv>): Promise<Response> {
  const ctx = await admit(surface.deps, endpoint, c.var.observed, {
    headers: c.req.raw.headers,
    signal: c.req.raw.signal,
    url: c.req.raw.url,
    ticket: endpoint.takesTicket ? c.req.query("ticket") : undefined,
    ...(isConsoleCall(c.req.raw) && { session: readCredentials(c.req.raw), via: "console" }),
  });
  const request = toRequest(surface, endpoint, c);
  const { acceptBody } = c.var.observed;
  return await endpoint.answer(ctx, acceptBody === undefined ? request : await accepted(request, acceptBody));
}

/** The request with exactly the bytes that its token was checked against; they are its body from here on. */
async function accepted(request: HttpRequest, accept: (body: Uint8Array) => Promise<void>): Promise<HttpRequest> {
  const { raw, bodyLimits } = request;
  const bytes = await readBytes(raw, bodyLimits);
  await accept(bytes);
  const { url, method, headers, signal } = raw;
  const body = method === "GET" || bytes.byteLength === 0 ? null : bytes as Uint8Array<ArrayBuffer>;
  return { ...request, raw: new Request(url, { method, headers, body, signal }) };
}

function toRequest(
  { deps: { config }, checkReply, sharedFiles }: Surface,
  { bodyBytesMax }: Endpoint,
  c: Context<ObservedEnv>,
): HttpRequest {
  return {
    raw: c.req.raw,
    params: c.req.param(),
    query: flatten(c.req.queries()),
    bodyLimits: { bytesMax: bodyBytesMax, deadlineMs: config.bodyDeadlineMs },
    checkReply,
    apiDocument,
    sharedFiles,
  };
}

function flatten(queries: Record<string, string[]>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(queries).map(([name, values]) => [name, values.length === 1 ? values[0]! : values]),
  );
}
