/** Authenticates admins: by `SVC_ADMIN_TOKEN`, or by the key of a named admin. docs/reference/guarantees.md T17. */
import { API_KEY_PREFIXES, parseApiKey, type ParsedApiKey } from "../../../crypto/api_key.ts";
import { equalSecrets } from "../../../crypto/hash.ts";
import type { Deps, VerifiedAdmin } from "../../../context.ts";
import * as admins from "../../../db/queries/admins.ts";
import type { Tx, TxOptions } from "../../../db/tx.ts";
import type { Scope } from "../../../schema/scopes.ts";
import { isExpired, readBearer, refusedCredentials, refusedForm, verifySecret } from "../credentials.ts";
import { SYSTEM_WORKSPACE } from "../../common/system.ts";

/** The scopes of an admin's key: administration, and requests that need a second admin. */
const ADMIN_SCOPES: ReadonlySet<Scope> = new Set(["memory:admin", "memory:admin:cross_tenant"]);
/** The token has no name and no one-time codes: its holder can neither request access to a workspace nor grant it. */
const TOKEN_SCOPES: ReadonlySet<Scope> = new Set(["memory:admin"]);

/**
 * Authenticates an admin. The token's prefix decides who checks it; the key of a workspace is
 * refused.
 * @throws ServiceError `unauthenticated`, or `rate_limited` after too many failed attempts.
 */
export async function authenticateAdmin(
  deps: Deps,
  headers: Headers,
  address: string | undefined,
): Promise<VerifiedAdmin> {
  const token = readBearer(headers);
  const parsed = parseApiKey(token);
  const isKey = parsed?.prefix === "mk_admin_";
  const admin = isKey
    ? deps.verifiedAdmins.get(token) ??
      await deps.verifiedAdmins.resolve(token, parsed.publicId, () =>
        verifyAdmin(deps, token, parsed, address ?? "unknown"))
    : await verifyToken(deps, token, address ?? "unknown");
  if (admin === undefined && !isKey) throw refusedForm(headers, "mk_admin_");
  if (admin === undefined || isExpired(admin, deps.clock())) throw refusedCredentials();
  return admin;
}

/**
 * Compares a token with `SVC_ADMIN_TOKEN`. The right token passes however often its source has failed before, like a
 * key that is in use; a wrong one counts as a failure of its source. A token that begins like a key is no guess,
 * because the configuration refuses such an admin token; and if no token is configured, there is nothing to guess.
 * @throws ServiceError `rate_limited` after too many failures of the source
 */
async function verifyToken(
  { config, failedAttempts }: Deps,
  token: string,
  source: string,
): Promise<VerifiedAdmin | undefined> {
  const { token: known } = config.admin;
  if (known === undefined || token === "") return undefined;
  if (!equalSecrets(token, known)) {
    if (!API_KEY_PREFIXES.some((prefix) => token.startsWith(prefix))) await failedAttempts.noteFailure(source);
    return undefined;
  }
  return {
    ...ANY_ADMIN,
    actor: "admin:bootstrap",
    adminId: null,
    keyId: null,
    scopes: TOKEN_SCOPES,
    expiresAt: null,
    cidrs: [],
  };
}

async function verifyAdmin(
  deps: Deps,
  token: string,
  parsed: ParsedApiKey,
  source: string,
): Promise<VerifiedAdmin | undefined> {
  const find = () => systemTx(deps, (tx) => admins.findAdminKey(tx, parsed.publicId), { readOnly: true });
  const row = await verifySecret(deps, token, parsed, source, find);
  if (row === undefined) return undefined;
  await systemTx(deps, (tx) => admins.touchAdminKey(tx, row.keyId));
  return namedAdmin(row);
}

/** A named admin, by one of the admin's keys; null: by an issuer that vouches for the admin. */
export function namedAdmin(
  { keyId, adminId, adminName, expiresAt, cidrs }:
    & Omit<admins.AdminKeyFound, "secretHash" | "revokedAt" | "keyId">
    & { readonly keyId: string | null },
): VerifiedAdmin {
  return { ...ANY_ADMIN, actor: `admin:${adminId}`, adminId, adminName, keyId, scopes: ADMIN_SCOPES, expiresAt, cidrs };
}

const ANY_ADMIN = {
  workspaceId: SYSTEM_WORKSPACE,
  maxSensitivity: "restricted",
  region: null,
  rateLimit: null,
} as const;

/** Runs a transaction in the service's own rows, before the caller is known. */
export function systemTx<T>(deps: Deps, work: (tx: Tx) => Promise<T>, options?: TxOptions): Promise<T> {
  const scope = { workspaceId: SYSTEM_WORKSPACE, maxSensitivity: "restricted", actor: "system:access" } as const;
  return deps.db.tx(scope, work, options);
}
