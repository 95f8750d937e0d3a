/** Ends a grant for a client that no longer needs it (RFC 7009). */
import type { Deps, OperationRequest } from "../../../context.ts";
import { verifyToken } from "../../../crypto/compact_jws.ts";
import { sha256Hex } from "../../../crypto/hash.ts";
import { findApiKey } from "../../../db/queries/api_keys.ts";
import * as queries from "../../../db/queries/oauth_grants.ts";
import { tokenKeysOf } from "../tokens/keys.ts";
import { partsOf } from "../tokens/givers.ts";
import { readOwnToken } from "../tokens/verify.ts";
import { endGrant } from "./grants.ts";
import { contextOf } from "./redeem.ts";
import { isSecret } from "./secrets.ts";

/**
 * Ends the grant of a refresh token or of an access token, with all its tokens. What is no token, or another client's, stays
 * as it is, and the client learns nothing of it.
 */
export async function revokeToken(
  deps: Deps,
  request: OperationRequest,
  { token, clientId }: { readonly token: string; readonly clientId: string },
): Promise<void> {
  const found = isSecret(token, "refresh")
    ? await deps.db.first((sql) => queries.findSecret(sql, sha256Hex(token)), { readOnly: true })
    : await grantOf(deps, token);
  if (found === undefined) return;
  const publicIds = await contextOf(deps, found, request).tx(async (tx) => {
    const grant = await queries.findGrant(tx, found.keyId);
    return grant?.clientId === clientId ? await endGrant(tx, found.keyId, "by its client") : [];
  });
  for (const publicId of publicIds) deps.verifiedKeys.evict(publicId);
}

/** The grant of an access token, also of one that has expired. */
async function grantOf(deps: Deps, text: string): Promise<queries.FoundSecret | undefined> {
  const token = readOwnToken(deps, text);
  if (token === undefined) return undefined;
  try {
    await verifyToken(token, tokenKeysOf(deps).map(({ publicKey }) => publicKey));
  } catch {
    return undefined;
  }
  const [kind, publicId] = partsOf(String(token.claims.grant));
  if (kind !== "key") return undefined;
  return await deps.db.first((sql) => findApiKey(sql, publicId), { readOnly: true });
}
