/** The HTTP surface: every endpoint of the registry on one Hono app, with the OpenAPI document that describes them. */
import { type Context, Hono } from "hono";
import type { Deps } from "../context.ts";
import { ServiceError } from "../errors.ts";
import { authorize } from "../domain/access.ts";
import { refuseDeclaredSize } from "./body.ts";
import type { Endpoint } from "./endpoint.ts";
import { observe, type ObservedEnv, replyToError } from "./middleware/observe.ts";
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

export function createHttpApp(deps: Deps, options: HttpOptions = {}): Hono<ObservedEnv> {
  const app = new Hono<ObservedEnv>();
  app.use(observe(deps));
  const refuse = replyToError(deps);
  app.onError(refuse as never);
  const methodsByPath = new Map<string, string[]>();
  for (const endpoint of ENDPOINTS) {
    const path = pathOf(endpoint).replaceAll(/\{(\w+)\}/g, ":$1");
    const method = endpoint.route.method.toUpperCase();
    methodsByPath.set(path, [...(methodsByPath.get(path) ?? []), method]);
    app.on(method, path, (c) => {
      c.set("route", pathOf(endpoint));
      return handle(deps, endpoint, options, c);
    });
  }
  for (const [path, methods] of methodsByPath) {
    app.all(path, (c) => {
      c.set("route", path);
      const allow = methods.join(", ");
      throw new ServiceError("method_not_allowed", `Cannot ${c.req.method} here: allowed is ${allow}`, {
        headers: { allow },
      });
    });
  }
  // Hono catches nothing that this handler throws until the middleware is left, which would go unobserved.
  app.notFound((c) => refuse(new ServiceError("not_found", "Cannot find this path"), c));
  return app;
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
  const ctx = await authorize(deps, {
    access: endpoint.scope,
    authorization: raw.headers.get("authorization"),
    remoteAddress: c.get("remoteAddress"),
    requestId: c.get("requestId"),
    signal: raw.signal,
  });
  c.set("workspaceId", ctx.workspaceId);
  return endpoint.handle(ctx, {
    raw,
    params: c.req.param(),
    query: flatten(c.req.queries()),
    checkReply: options.checkReplies === true,
  });
}

function flatten(queries: Record<string, string[]>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(queries).map(([name, values]) => [name, values.length === 1 ? values[0]! : values]),
  );
}
