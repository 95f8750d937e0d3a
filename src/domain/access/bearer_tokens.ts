/**
 * Tokens of issuers (RFC 9068) in the place of keys. A bearer that is a JWT is held against the issuer that it names, and
 * against no other: so an issuer can vouch for its own people alone. One that names a key of this service is its own.
 */
import type { Deps, Resource, VerifiedKey } from "../../context.ts";
import { isJwt, JWT_CHARS_MAX, readJwt } from "../../crypto/jwt.ts";
import { perService } from "../common/per_service.ts";
import { ConfiguredIssuer } from "./issuers/verify.ts";
import { refusedToken, type TokenIssuer } from "./token_issuer.ts";
import { readOwnToken, verifyOwnToken } from "./tokens/verify.ts";

/** The issuers whose tokens count, in the order in which metadata names them. */
export const tokenIssuersOf = perService((deps: Deps): readonly TokenIssuer[] =>
  deps.config.oauth.issuers.map((entry) => new ConfiguredIssuer(deps, entry))
);

/** The token in the one well-formed `Authorization` header, if it is a JWT; undefined otherwise. */
export function readBearerToken(headers: Headers): string | undefined {
  const text = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  return text !== undefined && isJwt(text) ? text : undefined;
}

/** Where a token is presented. */
export interface TokenUse {
  /** The part of the service that is called. */
  readonly resource: Resource;
  /** The address of the caller. */
  readonly source: string;
}

/**
 * Finds the key for which a token stands. What was verified counts for a minute, as that of a key does, and no longer
 * than the token; whoever revokes the key ends it at once.
 * @throws ServiceError `unauthenticated` when the token does not count here; `unavailable` when that cannot be found out
 */
export async function authenticateToken(deps: Deps, text: string, use: TokenUse): Promise<VerifiedKey> {
  const { resource, source } = use;
  if (text.length > JWT_CHARS_MAX) throw refusedToken(`is longer than ${JWT_CHARS_MAX} characters`);
  const key = deps.verifiedKeys.get(text) ??
    await deps.verifiedKeys.resolve(text, undefined, () => verify(deps, text, source));
  const { token, expiresAt } = key ?? {};
  if (key === undefined || token === undefined) throw refusedToken("is not accepted here");
  if (expiresAt && expiresAt <= deps.clock()) throw refusedToken("has expired");
  if (token.resource !== "all" && token.resource !== resource) {
    throw refusedToken(`is for ${token.resource === "mcp" ? "the MCP server" : "the API"} alone`);
  }
  return { ...key, recheck: () => authenticateToken(deps, text, use) };
}

async function verify(deps: Deps, text: string, source: string): Promise<VerifiedKey> {
  const own = readOwnToken(deps, text);
  if (own !== undefined) return await verifyOwnToken(deps, own, source);
  const token = readJwt(text);
  if (token === undefined) throw refusedToken("is malformed");
  const { iss } = token.claims;
  const issuer = tokenIssuersOf(deps).find((one) => one.issuer === iss);
  if (issuer === undefined) throw refusedToken("names no issuer that this service trusts");
  return await issuer.verify(token);
}
