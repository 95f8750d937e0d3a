/** What an issuer of tokens does for the service, and how a token is refused. RFC 6750, RFC 9068. */
import type { PresentedToken, VerifiedKey } from "../../context.ts";
import type { UnverifiedJwt } from "../../crypto/jwt.ts";
import { ServiceError } from "../../errors.ts";

/** The key for which a token stands. */
export interface TokenKey extends VerifiedKey {
  /** The public id of the key: whoever revokes or changes it ends the use of the token in all processes. */
  readonly credential: string;
  readonly token: PresentedToken;
}

/** Who issues tokens for this service: a configured issuer, or the service itself. */
export interface TokenIssuer {
  /** The `iss` of its tokens. No two issuers have the same. */
  readonly issuer: string;
  /** The scopes for which a client asks it, as its metadata or the operator names them; undefined: nobody names any. */
  readonly scopes: readonly string[] | undefined;
  /**
   * Verifies everything about a token whose `iss` is this issuer, and finds the key for which it stands.
   * @throws ServiceError `unauthenticated` by `refusedToken`; `unavailable` when the issuer or the database cannot be asked
   */
  verify(token: UnverifiedJwt): Promise<TokenKey>;
}

/**
 * Refuses a token. The reason goes to the caller, who can mend the token: it tells nothing about keys or workspaces.
 * @param reason what the token is or does: "has expired"; visible ASCII without quotes and backslashes
 */
export function refusedToken(reason: string): ServiceError {
  const message = `its token ${reason}`;
  return new ServiceError("unauthenticated", `Cannot accept the request: ${message}`, {
    headers: { "www-authenticate": `Bearer error="invalid_token", error_description="${message}"` },
  });
}
