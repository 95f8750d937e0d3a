/** Whose a key is, for whoever has to pass a request on before it is checked. */
import { parseApiKey } from "../../crypto/api_key.ts";
import type { Deps } from "../../context.ts";
import { findApiKey } from "../../db/queries/api_keys.ts";
import { readCaller } from "./caller.ts";
import { readBearer } from "./credentials.ts";

/**
 * The workspace of the key that a request presents; undefined when it is no key, or unknown. It says nothing about whether
 * the key counts, and is never told to a caller.
 * @throws ServiceError `rate_limited` when the caller has failed too often: a flood costs no look into the database
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
    const row = await deps.db.system((sql) => findApiKey(sql, parsed.publicId), { readOnly: true });
    return row?.workspaceId;
  } finally {
    await attempt.giveBack();
  }
}
