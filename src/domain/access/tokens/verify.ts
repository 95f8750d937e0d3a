/** Verifies the service's own tokens: by their signature, and within what stands behind them. */
import type { Deps } from "../../../context.ts";
import { readToken, TokenFault, type UnverifiedToken, verifyToken } from "../../../crypto/compact_jws.ts";
import { SENSITIVITIES, type Sensitivity } from "../../../schema/common.ts";
import type { Scope } from "../../../schema/scopes.ts";
import { leastSensitive } from "../../unit/trust.ts";
import { isOwnUrl, ownPath, resourceOf } from "../public_address.ts";
import { refusedToken, type TokenKey } from "../token_issuer.ts";
import { type GiverStanding, partsOf, standingOf } from "./givers.ts";
import { TOKEN_SECONDS_MAX, TOKEN_TYPE } from "./issue.ts";
import { tokenKeysOf } from "./keys.ts";

const CLAIMS = [
  "iss",
  "aud",
  "sub",
  "client_id",
  "jti",
  "iat",
  "nbf",
  "exp",
  "scope",
  "workspace",
  "region",
  "clearance",
  "grant",
  "name",
] as const;
type Claim = (typeof CLAIMS)[number];

/** By how much the clock of another process may be ahead. */
const SKEW_SECONDS = 60;

/** A token that a key of this service has signed, if its head is true; undefined for any other text. */
export function readOwnToken(deps: Deps, text: string): UnverifiedToken<Claim> | undefined {
  try {
    const token = readToken(text, { typ: TOKEN_TYPE, claims: CLAIMS });
    return tokenKeysOf(deps).some(({ keyId }) => keyId === token.kid) ? token : undefined;
  } catch (error) {
    if (error instanceof TokenFault) return undefined;
    throw error;
  }
}

/**
 * Finds out what a token opens: what it says, within what stands behind it now.
 * @param source the address of the caller
 * @throws ServiceError `unauthenticated`; `rate_limited` after too many failures of the source
 */
export async function verifyOwnToken(deps: Deps, token: UnverifiedToken<Claim>, source: string): Promise<TokenKey> {
  const claims = readClaims(deps, token);
  const attempt = await deps.failedAttempts.begin(source, claims.grantId);
  let standing: GiverStanding | undefined;
  try {
    await verifyToken(token, tokenKeysOf(deps).map(({ publicKey }) => publicKey));
    standing = await standingOf(deps, claims.grant, claims.workspaceId);
  } catch (error) {
    if (error instanceof TokenFault) {
      attempt.fail();
      throw refusedToken("has a wrong signature");
    }
    // A missing database is not the caller's failure.
    await attempt.giveBack();
    throw error;
  }
  await attempt.giveBack();
  if (standing === undefined) throw refusedToken("was revoked");
  return {
    ...standing,
    scopes: standing.scopes.intersection(claims.scopes),
    maxSensitivity: leastSensitive(standing.maxSensitivity, claims.maxSensitivity),
    expiresAt: earlier(standing.expiresAt, claims.expiresAt),
    token: { issuer: claims.issuer, subject: claims.subject, client: claims.client, resource: claims.resource },
  };
}

/** The claims of a token. @throws ServiceError `unauthenticated` unless it counts now, here, and is as this service writes it */
function readClaims({ config, clock }: Deps, { claims }: UnverifiedToken<Claim>) {
  const { iss, aud, sub, iat, nbf, exp, scope, workspace, clearance, grant } = claims;
  const texts = [iss, aud, sub, claims.client_id, claims.jti, scope, workspace, clearance, grant, claims.name];
  const isWhole = texts.every((one) => typeof one === "string") && [iat, nbf, exp].every(Number.isSafeInteger) &&
    SENSITIVITIES.includes(clearance as Sensitivity);
  if (!isWhole) throw refusedToken("is malformed");
  const [from, before, until] = [iat, nbf, exp] as [number, number, number];
  const now = clock().getTime() / 1_000;
  if (until <= now || until - from > TOKEN_SECONDS_MAX) throw refusedToken("has expired");
  if (Math.max(from, before) > now + SKEW_SECONDS) throw refusedToken("does not count yet");
  const path = ownPath(config, aud as string);
  if (path === undefined || !isOwnUrl(config, iss as string)) throw refusedToken("was not issued for this service");
  return {
    issuer: iss as string,
    subject: sub as string,
    client: claims.client_id as string,
    resource: resourceOf(path),
    workspaceId: workspace as string,
    grant: grant as string,
    grantId: partsOf(grant as string)[1],
    scopes: new Set((scope as string).split(" ") as Scope[]),
    maxSensitivity: clearance as Sensitivity,
    expiresAt: new Date(until * 1_000),
  };
}

function earlier(a: Date | null, b: Date): Date {
  return a !== null && a < b ? a : b;
}
