/**
 * Verifies access tokens of configured issuers: RFC 9068, as far as an issuer keeps to it, RFC 8707 for the audience, RFC 8725
 * for what else may be wrong with a token.
 */
import { compactVerify, errors } from "jose";
import type { Deps, Resource } from "../../../context.ts";
import type { UnverifiedJwt } from "../../../crypto/jwt.ts";
import { ServiceError } from "../../../errors.ts";
import type { TokenIssuerEntry } from "../../../schema/token_issuer.ts";
import { openIdentityKey } from "../identity_keys.ts";
import { refusedToken, type TokenIssuer, type TokenKey } from "../token_issuer.ts";
import { type Claims, clientOf, mapRights, nameKey } from "./claims.ts";
import { type IssuerKeys, keysOf } from "./keys.ts";

/** How far the clocks of the issuer and of this service may differ, in seconds. */
const SKEW_SECONDS = 60;
const SUBJECT_CHARS_MAX = 255;

/** Ends with `+jwt` when the token is of another kind, such as a DPoP proof or a logout token. */
const ACCESS_TYPES = ["at+jwt", "application/at+jwt"];

export class ConfiguredIssuer implements TokenIssuer {
  readonly issuer: string;
  readonly scopes: readonly string[] | undefined;
  readonly #deps: Deps;
  readonly #entry: TokenIssuerEntry;
  readonly #keys: IssuerKeys;

  constructor(deps: Deps, entry: TokenIssuerEntry) {
    this.issuer = entry.issuer;
    this.scopes = entry.requestScopes;
    this.#deps = deps;
    this.#entry = entry;
    this.#keys = keysOf(deps, entry);
  }

  /** @throws ServiceError also `insufficient_scope` when the token is genuine and no rule gives it anything here */
  async verify(token: UnverifiedJwt): Promise<TokenKey> {
    const entry = this.#entry;
    requireKind(token, entry);
    const expiresAt = requireTimes(token.claims, entry, this.#deps.clock());
    await this.#requireSignature(token);
    const resource = resourceOf(token.claims["aud"], this.#deps.config.publicUrl!, entry.audiences);
    if (resource === undefined) throw refusedToken("is for another service: its aud is not the address of this one");
    const { subject, client } = requireIdentity(token.claims);
    const rights = mapRights(entry, token.claims);
    if (rights === undefined) throw unmapped(entry, subject, client);
    if (rights.scopes.size === 0) throw withoutScope(entry, rights.granted);
    const { workspaceId, granted, maxSensitivity } = rights;
    const identity = { issuer: entry.issuer, subject, client };
    const name = nameKey(entry, token.claims, identity);
    const key = await openIdentityKey(this.#deps, workspaceId, identity, { name, scopes: granted, maxSensitivity });
    return {
      ...key,
      scopes: key.scopes.intersection(rights.scopes),
      expiresAt: key.expiresAt !== null && key.expiresAt < expiresAt ? key.expiresAt : expiresAt,
      token: { issuer: entry.issuer, subject, client: client === "" ? undefined : client, resource },
    };
  }

  async #requireSignature({ text }: UnverifiedJwt): Promise<void> {
    try {
      await compactVerify(text, this.#keys.find, { algorithms: [...this.#entry.algorithms] });
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      throw refusedToken(faultOf(error));
    }
  }
}

function faultOf(error: unknown): string {
  if (error instanceof errors.JWKSNoMatchingKey) return "is signed by a key that its issuer does not have";
  if (error instanceof errors.JWKSMultipleMatchingKeys) {
    return "does not say by which of its issuer's keys it is signed";
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return "has a signature that is not its issuer's";
  return "cannot be verified";
}

/** @throws ServiceError `unauthenticated` unless it can be an access token that counts for whoever has it */
function requireKind({ header, claims }: UnverifiedJwt, { algorithms, tokenType }: TokenIssuerEntry): void {
  if (!(algorithms as readonly unknown[]).includes(header["alg"])) {
    throw refusedToken("is signed by an algorithm that is not accepted");
  }
  const type = typeof header["typ"] === "string" ? header["typ"].toLowerCase() : header["typ"];
  const isMarked = ACCESS_TYPES.includes(type as string);
  if (!isMarked && (tokenType === "at+jwt" || (type !== undefined && type !== "jwt"))) {
    throw refusedToken("is no access token: its typ is another one");
  }
  if (!isMarked && !looksLikeAccess(claims)) throw refusedToken("is no access token; present that, not an ID token");
  if (claims["cnf"] !== undefined) throw refusedToken("is bound to a key of its client, which is not supported here");
}

/**
 * Whether the claims can be those of an access token, where its head does not say so. An ID token has a hash of another token,
 * or the nonce of a sign-in; Keycloak says the kind in a claim. What an access token alone has is its scope, or its client.
 */
function looksLikeAccess(claims: Claims): boolean {
  const { typ } = claims;
  if (typ === "Bearer") return true;
  const isOther = typ !== undefined || ["at_hash", "c_hash", "nonce", "events"].some((name) => name in claims);
  return !isOther && ["scope", "scp", "client_id", "cid", "azp", "appid"].some((name) => name in claims);
}

/** @returns when the token expires */
function requireTimes(claims: Claims, { lifetimeSecondsMax }: TokenIssuerEntry, clock: Date): Date {
  const now = clock.getTime() / 1_000;
  const { exp, iat, nbf } = claims;
  if (!isTime(exp) || !isTime(iat)) throw refusedToken("does not say when it was issued and when it expires");
  if (nbf !== undefined && !isTime(nbf)) throw refusedToken("has an nbf that is no time");
  if (exp <= now) throw refusedToken("has expired");
  if (iat > now + SKEW_SECONDS || (nbf ?? 0) > now + SKEW_SECONDS) throw refusedToken("is not valid yet");
  if (exp - iat > lifetimeSecondsMax || exp <= iat) {
    throw refusedToken(`is valid for longer than ${lifetimeSecondsMax} seconds`);
  }
  return new Date(exp * 1_000);
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 && value < 1e11;
}

/**
 * The part of the service for which a token was issued. RFC 8707: its audience is an address of the service.
 * @param others what else stands for the whole service
 */
function resourceOf(aud: unknown, publicUrl: string, others: readonly string[]): Resource | undefined {
  const named = new Set([aud].flat());
  const isFor = (...urls: readonly string[]) => urls.some((url) => named.has(url) || named.has(`${url}/`));
  if (isFor(publicUrl) || others.some((one) => named.has(one))) return "all";
  const isMcp = isFor(`${publicUrl}/mcp`, `${publicUrl}/mcp/all`);
  const isApi = isFor(`${publicUrl}/v1`);
  return isMcp ? (isApi ? "all" : "mcp") : isApi ? "api" : undefined;
}

function requireIdentity(claims: Claims): { readonly subject: string; readonly client: string } {
  const subject = claims["sub"], client = clientOf(claims) ?? "";
  const isName = (text: unknown): text is string =>
    typeof text === "string" && /^[ -~]*$/.test(text) && text.length <= SUBJECT_CHARS_MAX;
  if (!isName(subject) || subject === "") throw refusedToken("names nobody: sub must be 1 to 255 visible characters");
  if (!isName(client)) throw refusedToken("names its client in more than 255 visible characters");
  return { subject, client };
}

/** The refusal of a genuine token to which no rule applies: 403, because the issuer's next token would be refused, too. */
function unmapped({ name }: TokenIssuerEntry, subject: string, client: string): ServiceError {
  const by = client === "" ? "" : ` by the client ${client}`;
  return new ServiceError(
    "insufficient_scope",
    `Cannot accept the token: no rule of the issuer ${name} gives ${subject}${by} a workspace here`,
  );
}

function withoutScope({ scopeClaims }: TokenIssuerEntry, granted: readonly string[]): ServiceError {
  const scope = granted.join(" ");
  return new ServiceError(
    "insufficient_scope",
    `Cannot accept the token: its ${
      scopeClaims.join(" and ")
    } names none of the scopes that it may have here: ${scope}`,
    { headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="${scope}"` } },
  );
}
