/**
 * What clients read before they ask for anything: where to get a token for the service (RFC 9728), and of its own
 * authorization server what it offers (RFC 8414) and the keys of its tokens.
 */
import type { Context, Hono } from "hono";
import type { Deps } from "../../context.ts";
import { isAuthorizationServer, metadataOf, OAUTH_PATHS } from "../../domain/access/oauth/server.ts";
import { describeResource } from "../../domain/access/protected_resource.ts";
import { publicAddress } from "../../domain/access/public_address.ts";
import { jwksOf } from "../../domain/access/tokens/keys.ts";
import { ServiceError } from "../../errors.ts";
import type { ObservedEnv } from "../observed.ts";

const RESOURCE = "/.well-known/oauth-protected-resource";
const METADATA = "/.well-known/oauth-authorization-server";

/** Adds the documents to the app. */
export function addDiscovery(app: Hono<ObservedEnv>, deps: Deps): void {
  const metadata = (c: Context<ObservedEnv>) => {
    c.var.observed.route = METADATA;
    const issuer = isAuthorizationServer(deps)
      ? publicAddress(deps.config, c.req.raw, c.var.observed.remoteAddress)
      : undefined;
    if (issuer === undefined) throw new ServiceError("not_found", "Cannot find this path");
    return Response.json(metadataOf(issuer), { headers: { "cache-control": "public, max-age=60" } });
  };
  app.get(METADATA, metadata);
  app.get(OAUTH_PATHS.keys, (c) => {
    c.var.observed.route = OAUTH_PATHS.keys;
    return Response.json(jwksOf(deps), { headers: { "cache-control": "public, max-age=300" } });
  });
  for (const path of [RESOURCE, `${RESOURCE}/*`]) {
    app.get(path, (c) => {
      c.var.observed.route = RESOURCE;
      const metadata = describeResource(deps, c.req.raw, c.var.observed.remoteAddress);
      return Response.json(metadata, { headers: { "cache-control": "public, max-age=300" } });
    });
  }
}
