/** The HTTP surface: every endpoint of the registry on one Hono app, with the OpenAPI document that describes them. */
import { type Context, Hono } from "hono";
import type { Deps } from "../context.ts";
import { ServiceError } from "../errors.ts";
import { authorize } from "../domain/access.ts";
import { refuseDeclaredSize } from "./body.ts";
import type { Endpoint, OperationRequest } from "./endpoint.ts";
import { handleOnce } from "./idempotency.ts";
import { observe, type ObservedEnv, replyToError } from "./middleware/observe.ts";
import { describeApi } from "./openapi.ts";
import { ENDPOINTS } from "./routes/mod.ts";

export interface HttpOptions {
  /** Checks every reply against its declared schema; for tests. */
  readonly checkReplies?: boolean;
}

/** Where an endpoint lives on the port: below `/v1`, but for the operational ones. */
export function pathOf(endpoint: Endpoint): string {
  const base = endpoint.route.servers ? "" : "/v1";
  return base + endpoint.route.path;
}

let document: string | undefined;

/** The OpenAPI document of all endpoints as JSON text, made once in a process. */
function apiDocument(): string {
  return document ??= JSON.stringify(describeApi(ENDPOINTS));
}

export function createHttpApp(deps: Deps, options: HttpOptions = {}): Hono<ObservedEnv> {
  // Made at boot, so that a fault in a schema shows there and the first reader does not wait.
  apiDocument();
  const app = new Hono<ObservedEnv>();
  app.use(observe(deps));
  const refuse = replyToError(deps);
  app.onError(refuse as never);
  // The first that matches is taken: names before parameters, `/relations/verbs` before `/relations/{id}`.
  const isNamed = (endpoint: Endpoint) => !pathOf(endpoint).includes("{");
  for (const endpoint of [...ENDPOINTS.filter(isNamed), ...ENDPOINTS.filter((endpoint) => !isNamed(endpoint))]) {
    const template = pathOf(endpoint);
    app.on(endpoint.route.method.toUpperCase(), toHonoPath(template), (c) => {
      c.set("route", template);
      return handle(deps, endpoint, options, c);
    });
  }
  // After all endpoints, because handlers run in the order of their registration: `/facts/{id}` also matches
  // `/facts/batch`.
  for (const [template, endpoints] of Map.groupBy(ENDPOINTS, pathOf)) {
    const allow = endpoints.map((endpoint) => endpoint.route.method.toUpperCase()).join(", ");
    app.all(toHonoPath(template), (c) => {
      c.set("route", template);
      throw new ServiceError("method_not_allowed", `Cannot ${c.req.method} here: allowed is ${allow}`, {
        headers: { allow },
      });
    });
  }
  // Hono catches nothing that this handler throws until the middleware is left, which would go unobserved.
  app.notFound((c) => refuse(new ServiceError("not_found", "Cannot find this path"), c));
  return app;
}

function toHonoPath(template: string): string {
  return template.replaceAll(/\{(\w+)\}/g, ":$1");
}

/** The fixed order of checks: size, key, address, region, scope, rate, idempotency, then body and workspace data. */
async function handle(
  deps: Deps,
  endpoint: Endpoint,
  options: HttpOptions,
  c: Context<ObservedEnv>,
): Promise<Response> {
  const raw = c.req.raw;
  refuseDeclaredSize(raw, endpoint.bodyBytesMax);
  if (endpoint.scope !== "public") refuseUnready(deps);
  const ctx = await authorize(deps, {
    access: endpoint.scope,
    bearer: endpoint.bearer,
    operationId: endpoint.route.operationId,
    headers: raw.headers,
    remoteAddress: c.get("remoteAddress"),
    requestId: c.get("requestId"),
    signal: raw.signal,
    onRateLimit: (limit, state) => c.set("rateLimit", { limit, state }),
  });
  c.set("workspaceId", ctx.workspaceId || undefined);
  c.set("certificatePin", ctx.certificatePin);
  if (endpoint.scope === "public") return await endpoint.handle(ctx, toRequest(deps, endpoint, c, options));
  deps.audit.requireRoom();
  try {
    const response = await handleOnce(ctx, endpoint, toRequest(deps, endpoint, c, options));
    deps.audit.noteRequest(ctx, "ok");
    return response;
  } catch (error) {
    deps.audit.noteRequest(ctx, error instanceof ServiceError ? error.code : "internal");
    throw error;
  }
}

function toRequest(
  { config }: Deps,
  { bodyBytesMax }: Endpoint,
  c: Context<ObservedEnv>,
  options: HttpOptions,
): OperationRequest {
  return {
    raw: c.req.raw,
    params: c.req.param(),
    query: flatten(c.req.queries()),
    bodyLimits: { bytesMax: bodyBytesMax, deadlineMs: config.bodyDeadlineMs },
    checkReply: options.checkReplies === true,
    apiDocument,
  };
}

/**
 * Without a database a key cannot be checked either, so this comes before all that is about the caller. A service that
 * stops takes nothing new, so that what runs comes to its end.
 */
function refuseUnready({ isPrepared, stopping }: Deps): void {
  if (isPrepared() && !stopping.aborted) return;
  const message = stopping.aborted
    ? "Cannot serve any more: the service is stopping"
    : "Cannot serve yet: the database is not there";
  throw new ServiceError("unavailable", message, { headers: { "retry-after": "1" } });
}

function flatten(queries: Record<string, string[]>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(queries).map(([name, values]) => [name, values.length === 1 ? values[0]! : values]),
  );
}
