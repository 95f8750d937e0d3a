/** What clients read of the authorization server before they ask it for anything: the keys of its tokens (RFC 7517). */
import type { Hono } from "hono";
import type { Deps } from "../../context.ts";
import { jwksOf } from "../../domain/access/tokens/keys.ts";
import type { ObservedEnv } from "../observed.ts";

const JWKS_PATH = "/.well-known/jwks.json";

/** Adds the documents to the app. */
export function addDiscovery(app: Hono<ObservedEnv>, deps: Deps): void {
  app.get(JWKS_PATH, (c) => {
    c.var.observed.route = JWKS_PATH;
    return Response.json(jwksOf(deps), { headers: { "cache-control": "public, max-age=300" } });
  });
}
