/** Requests for a grant: what a client asks a person for. RFC 6749 §4.1.1, RFC 7636, RFC 8707, OAuth 2.1. */
import type { Deps } from "../../../context.ts";
import { DEFAULT_SCOPES, type Scope } from "../../../schema/scopes.ts";
import { ownPath } from "../public_address.ts";
import { findClient, type OAuthClient } from "./clients.ts";
import { oauthFault } from "./faults.ts";
import { isRegistered } from "./redirects.ts";

/** What clients may ask for: neither administration nor the exchange with other services. */
export const GRANTABLE: readonly Scope[] = DEFAULT_SCOPES;
/** What a client gets that names no scopes: an agent's work. */
export const USUAL: readonly Scope[] = GRANTABLE.filter((scope) =>
  !/^(memory:(import|export)|audit:read)$/.test(scope)
);

/** A request that a person may agree to. */
export interface GrantRequest {
  readonly client: OAuthClient;
  readonly scopes: readonly Scope[];
  /** What the tokens are for. */
  readonly resource: string;
}

export interface AuthorizationRequest extends GrantRequest {
  readonly redirectUri: string;
  readonly state: string | undefined;
  /** The S256 challenge. */
  readonly challenge: string;
}

/** The members of a form or a query. @throws ServiceError with `invalid_request` when one is there twice */
export function readParameters(text: string): ReadonlyMap<string, string> {
  const given = new URLSearchParams(text), members = new Map<string, string>();
  for (const [name, value] of given) {
    if (members.has(name)) throw oauthFault("invalid_request", "Cannot read the request: it has a parameter twice");
    members.set(name, value);
  }
  return members;
}

/**
 * Reads an authorization request. Nobody is sent anywhere because of a fault in it: the client that made it is the one who
 * says where to.
 * @param issuer the service's own address
 * @throws ServiceError with the code of RFC 6749
 */
export async function readAuthorizationRequest(
  deps: Deps,
  query: string,
  issuer: string,
): Promise<AuthorizationRequest> {
  const given = readParameters(query);
  const client = await findClient(deps, given.get("client_id") ?? "");
  const redirectUri = given.get("redirect_uri") ?? (client.redirectUris.length === 1 ? client.redirectUris[0]! : "");
  if (!isRegistered(client.redirectUris, redirectUri)) {
    throw oauthFault("invalid_request", "Cannot accept the request: its redirect_uri is none of the client's");
  }
  if (given.get("response_type") !== "code") {
    throw oauthFault("unsupported_response_type", "Cannot accept the request: its response_type is not code");
  }
  if ((given.get("response_mode") ?? "query") !== "query") {
    throw oauthFault("invalid_request", "Cannot accept the request: its response_mode is not query");
  }
  const challenge = given.get("code_challenge") ?? "";
  if (given.get("code_challenge_method") !== "S256" || !/^[\w-]{43}$/.test(challenge)) {
    throw oauthFault("invalid_request", "Cannot accept the request: it has no code_challenge of the method S256");
  }
  const state = given.get("state");
  if (state !== undefined && state.length > 2_000) {
    throw oauthFault("invalid_request", "Cannot accept the request: its state is longer than 2000 characters");
  }
  return { ...readWanted(deps, given, issuer), client, redirectUri, state, challenge };
}

/** What a request asks for, and for which part of the service. @throws ServiceError with `invalid_scope`, `invalid_target` */
export function readWanted(
  { config }: Deps,
  given: ReadonlyMap<string, string>,
  issuer: string,
): Pick<GrantRequest, "scopes" | "resource"> {
  const asked = (given.get("scope") ?? "").split(" ").filter((one) => one !== "");
  const known = GRANTABLE.filter((scope) => asked.includes(scope));
  if (asked.some((one) => one !== OFFLINE) && known.length === 0) {
    throw oauthFault("invalid_scope", "Cannot accept the request: none of its scopes can be granted");
  }
  const resource = given.get("resource");
  const path = resource === undefined ? MCP : ownPath(config, resource);
  if (path === undefined || !RESOURCES.has(path)) {
    throw oauthFault("invalid_target", "Cannot accept the request: its resource is not this service");
  }
  return { scopes: known.length === 0 ? USUAL : known, resource: issuer + path };
}

/** Some clients ask for refresh tokens by a scope; here each gets one. */
const OFFLINE = "offline_access";
/** Clients that name no resource are MCP clients of before RFC 8707. */
const MCP = "/mcp";
/** The parts of the service that tokens are for, as paths below its address. */
const RESOURCES: ReadonlySet<string> = new Set(["", MCP, "/mcp/all", "/v1"]);
