/** The authorization server as a whole: whether this service is one, and where. RFC 8414. */
import type { Deps } from "../../../context.ts";
import { ServiceError } from "../../../errors.ts";
import { publicAddress } from "../public_address.ts";
import { tokenKeysOf } from "../tokens/keys.ts";
import { GRANTABLE } from "./requests.ts";

/** Whether the service gives out tokens: the operator has not turned it off, and there is a secret to sign them by. */
export function isAuthorizationServer(deps: Deps): boolean {
  return deps.config.oauth.isServer && tokenKeysOf(deps).length > 0;
}

/**
 * The service's own address as the issuer of tokens.
 * @throws ServiceError `not_found` when the service is no authorization server; `origin_not_allowed` when it was called by a
 * name that it does not know
 */
export function requireIssuer(
  deps: Deps,
  request: Pick<Request, "url" | "headers">,
  remoteAddress: string | undefined,
): string {
  if (!isAuthorizationServer(deps)) {
    throw new ServiceError("not_found", "Cannot give tokens: SVC_OAUTH_SERVER is off, or SVC_SECRETS_KEY is not set");
  }
  const issuer = publicAddress(deps.config, request, remoteAddress);
  if (issuer !== undefined) return issuer;
  throw new ServiceError(
    "origin_not_allowed",
    "Cannot give tokens by this name: the service does not know it as its own; name it in SVC_PUBLIC_URL or SVC_HOSTS",
  );
}

/** Below the service's own address. */
export const OAUTH_PATHS = {
  authorize: "/oauth/authorize",
  token: "/oauth/token",
  register: "/oauth/register",
  revoke: "/oauth/revoke",
  device: "/oauth/device",
  keys: "/.well-known/jwks.json",
} as const;

/** The `grant_type` of a device's code (RFC 8628 §3.4). */
export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** The metadata document of RFC 8414, with the members that MCP clients look for. */
export function metadataOf(issuer: string): Readonly<Record<string, unknown>> {
  return {
    issuer,
    authorization_endpoint: issuer + OAUTH_PATHS.authorize,
    token_endpoint: issuer + OAUTH_PATHS.token,
    registration_endpoint: issuer + OAUTH_PATHS.register,
    device_authorization_endpoint: issuer + OAUTH_PATHS.device,
    revocation_endpoint: issuer + OAUTH_PATHS.revoke,
    jwks_uri: issuer + OAUTH_PATHS.keys,
    scopes_supported: GRANTABLE,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token", DEVICE_GRANT],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    service_documentation: `${issuer}/v1/docs`,
  };
}
