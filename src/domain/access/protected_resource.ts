/** How a client without a token learns where to get one: the metadata of the service as a protected resource. RFC 9728. */
import type { Config } from "../../config.ts";
import type { Deps } from "../../context.ts";
import { ServiceError } from "../../errors.ts";
import { tokenIssuersOf } from "./bearer_tokens.ts";
import { USUAL } from "./oauth/requests.ts";
import { isAuthorizationServer } from "./oauth/server.ts";
import { ownPath, publicAddress } from "./public_address.ts";

const WELL_KNOWN = "/.well-known/oauth-protected-resource";
/** The resources, by their paths below the service's address: all of it, and its parts. */
const PATHS = ["", "/mcp", "/mcp/all", "/v1"] as const;

interface Server {
  readonly issuer: string;
  /** The scopes for which clients ask it; undefined: nobody names any. */
  readonly scopes: readonly string[] | undefined;
}

/**
 * The servers that issue tokens for the service: those that the operator trusts, then itself. Clients take the first that they
 * can use.
 * @param own the service's own address
 */
function authorizationServers(deps: Deps, own: string | undefined): readonly Server[] {
  const itself = own !== undefined && isAuthorizationServer(deps) ? [{ issuer: own, scopes: USUAL }] : [];
  return [...tokenIssuersOf(deps), ...itself];
}

export interface ResourceMetadata {
  readonly resource: string;
  readonly authorization_servers: readonly string[];
  readonly scopes_supported?: readonly string[];
  readonly bearer_methods_supported: readonly string[];
  readonly resource_name: string;
  readonly resource_documentation: string;
}

type Called = Pick<Request, "url" | "headers">;

/**
 * Describes the resource whose metadata a path is. RFC 9728 puts the resource's path behind its own name; a proxy that serves
 * the service below a path may leave that out.
 * @param remoteAddress of the TCP peer
 * @throws ServiceError `not_found` when nobody issues tokens for it
 */
export function describeResource(deps: Deps, request: Called, remoteAddress: string | undefined): ResourceMetadata {
  const own = publicAddress(deps.config, request, remoteAddress);
  const [first, ...others] = authorizationServers(deps, own);
  const below = new URL(request.url).pathname.slice(WELL_KNOWN.length).replace(/\/$/, "");
  const base = own === undefined ? "" : new URL(own).pathname.replace(/\/$/, "");
  const path = PATHS.find((one) => below === one || below === base + one);
  if (own === undefined || first === undefined || path === undefined) {
    throw new ServiceError("not_found", "Cannot find this path");
  }
  return {
    resource: own + path,
    authorization_servers: [first, ...others].map(({ issuer }) => issuer),
    ...(first.scopes && { scopes_supported: first.scopes }),
    bearer_methods_supported: ["header"],
    resource_name: "svc memory",
    resource_documentation: `${own}/v1/docs`,
  };
}

/**
 * Adds to a refusal where its resource is described, for the client that would get a token. Everything else, and every
 * refusal of a service for which nobody issues tokens, stays as it is.
 * @param remoteAddress of the TCP peer
 */
export function withChallenge(
  deps: Deps,
  error: ServiceError,
  request: Called,
  remoteAddress: string | undefined,
): ServiceError {
  const { "www-authenticate": told, ...headers } = error.headers;
  const own = publicAddress(deps.config, request, remoteAddress);
  const isSaid = told === undefined || told.includes("resource_metadata=");
  if (isSaid || own === undefined || authorizationServers(deps, own).length === 0) return error;
  // The service itself asks the person what to give.
  const scopes = tokenIssuersOf(deps)[0]?.scopes;
  const scope = scopes && !/\bscope=/.test(told) ? [`scope="${scopes.join(" ")}"`] : [];
  const parts = [`resource_metadata="${metadataUrl(own, pathOf(deps.config, request, own))}"`, ...scope];
  const challenge = `${told}${told === "Bearer" ? " " : ", "}${parts.join(", ")}`;
  const { code, message, errors, extra, cause, isCallersFault } = error;
  return new ServiceError(code, message, {
    ...{ errors, extra, cause, isCallersFault },
    headers: { ...headers, "www-authenticate": challenge },
  });
}

/** The resource that a request called. */
function pathOf(config: Pick<Config, "hosts" | "trustedProxyIp">, { url }: Called, own: string): string {
  const { pathname } = new URL(url);
  // A proxy may have taken the path of the service's address away.
  const path = ownPath({ ...config, publicUrl: own }, new URL(own).origin + pathname) ?? pathname;
  return /^\/mcp\/?$/.test(path)
    ? "/mcp"
    : /^\/mcp\/all\/?$/.test(path)
    ? "/mcp/all"
    : /^\/v1\//.test(path)
    ? "/v1"
    : "";
}

function metadataUrl(own: string, path: string): string {
  const { origin, pathname } = new URL(own);
  return `${origin}${WELL_KNOWN}${pathname.replace(/\/$/, "")}${path}`;
}
