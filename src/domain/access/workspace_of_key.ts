/** Finds the workspace of a key, for the front, which passes a request on before the key is checked. */
import { parseApiKey } from "../../crypto/api_key.ts";
import type { Deps } from "../../context.ts";
import { findApiKey } from "../../db/queries/api_keys.ts";
import { readCaller } from "./caller.ts";
import { readBearer } from "./credentials.ts";

/**
 * Finds the workspace of the key that a request presents; undefined when there is no key or it is unknown. This does
 * not say that the key is valid, and no caller is told the result.
 * @throws ServiceError `rate_limited` when the caller has failed too often, so that a flood of bad keys costs no query
 */
export async function findWorkspaceOfKey(
  deps: Deps,
  headers: Headers,
  remoteAddress: string | undefined,
): Promise<string | undefined> {
  const parsed = parseApiKey(readBearer(headers));
  if (parsed?.prefix !== "svc_live_") return undefined;
  const { address = "unknown" } = readCaller(headers, remoteAddress, deps.config.trustedProxyIp);
  const attempt = await deps.failedAttempts.begin(address, parsed.publicId);
  try {
    const row = await deps.db.first((sql) => findApiKey(sql, parsed.publicId), { readOnly: true });
    return row?.workspaceId;
  } finally {
    await attempt.giveBack();
  }
}
