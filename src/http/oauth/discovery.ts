/** What clients read of the authorization server before they ask it for anything: RFC 8414, and the keys of its tokens. */
import type { Context, Hono } from "hono";
import type { Deps } from "../../context.ts";
import { isAuthorizationServer, metadataOf, OAUTH_PATHS } from "../../domain/access/oauth/server.ts";
import { publicAddress } from "../../domain/access/public_address.ts";
import { jwksOf } from "../../domain/access/tokens/keys.ts";
import { ServiceError } from "../../errors.ts";
import type { ObservedEnv } from "../observed.ts";

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
}
