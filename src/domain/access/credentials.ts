/** Reads the bearer tokens of callers and verifies the secrets of keys. docs/reference/guarantees.md T13, T14, T18. */
import { API_KEY_BODY_LENGTH, API_KEY_PREFIXES, type ApiKeyPrefix, type ParsedApiKey } from "../../crypto/api_key.ts";
import { equalSecrets } from "../../crypto/hash.ts";
import type { Deps } from "../../context.ts";
import { ServiceError } from "../../errors.ts";
import { isInCidrs } from "../../schema/cidr.ts";

/** One body for unknown, wrong, revoked and expired keys, so that a caller does not learn which it was. */
export function refusedCredentials(reason = "it has no valid API key"): ServiceError {
  return new ServiceError("unauthenticated", `Cannot accept the request: ${reason}`, {
    headers: { "www-authenticate": "Bearer" },
  });
}

/**
 * The refusal of a request that has no key of the wanted kind, seen from its headers alone. It says what to mend: that
 * tells nobody anything about the keys that exist.
 */
export function refusedForm(headers: Headers, wanted: ApiKeyPrefix): ServiceError {
  return refusedCredentials(faultOfForm(headers, wanted));
}

const HOW = "send it as `Authorization: Bearer <key>`";
/** Headers in which other services take a key. */
const OTHER_HEADERS = ["x-api-key", "api-key", "apikey", "x-api-token", "x-auth-token", "x-access-token", "svc-key"];
/** What an example has in the place of a key: an ellipsis, also as a client sends its bytes, or a name to fill in. */
const PLACEHOLDER = /…|\u00e2\u0080\u00a6|\.{3}|[<>{}$*]|your[-_ ]?(api[-_ ]?)?(key|token)|x{6}/i;

/** undefined when it may be a wrong secret. */
function faultOfForm(headers: Headers, wanted: ApiKeyPrefix): string | undefined {
  const header = headers.get("authorization")?.trim();
  if (!header) {
    const other = OTHER_HEADERS.find((name) => headers.has(name));
    return other === undefined ? `it has no API key; ${HOW}` : `it has the key in the header ${other}; ${HOW}`;
  }
  const token = /^Bearer\b(.*)$/i.exec(header)?.[1]?.trim();
  if (token === undefined) return `its header Authorization does not begin with Bearer; ${HOW}`;
  if (token === "") return "its header Authorization has nothing after Bearer: is the variable with the key set?";
  if (PLACEHOLDER.test(token)) {
    return "its key is the placeholder of an example; put the key there that the first start or `svc key create` printed";
  }
  const prefix = API_KEY_PREFIXES.find((one) => token.startsWith(one));
  if (prefix === wanted) {
    return `its key is mistyped or incomplete: ${wanted} and ${API_KEY_BODY_LENGTH} letters and digits`;
  }
  if (prefix === "mk_broker_") {
    return "its key is a broker's, which only makes and manages the workspaces of its app's users";
  }
  if (prefix === "mk_admin_") return "its key is an admin's; this operation takes the key of a workspace";
  if (prefix === "svc_live_") return "its key is that of a workspace; this operation takes the bearer of an admin";
  return wanted === "svc_live_" ? "its key is not one of this service: those begin with svc_live_" : undefined;
}

/** The token of the one well-formed `Authorization` header; empty without one. */
export function readBearer(headers: Headers): string {
  return /^Bearer ([!-~]{1,200})$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
}

interface KeyRow {
  readonly secretHash: string;
  readonly revokedAt: Date | null;
  readonly expiresAt: Date | null;
}

/**
 * Looks a key up and verifies its secret. Callers who present the same token at the same time share the work.
 * Undefined: the key is unknown, wrong, revoked or expired.
 *
 * A token that this process verified before passes without a hash, whatever failed meanwhile. So whoever knows the id
 * of a key in use can neither lock it out nor keep the threads busy, from however many addresses.
 * @throws ServiceError `rate_limited` after too many failures of the source, or of the source on the key.
 */
export async function verifySecret<Row extends KeyRow>(
  deps: Deps,
  token: string,
  parsed: ParsedApiKey,
  source: string,
  find: () => Promise<Row | undefined>,
): Promise<Row | undefined> {
  const { provenSecrets, failedAttempts, argon2id } = deps;
  const counts = (row: Row) => row.revokedAt === null && !isExpired(row, deps.clock());
  const proven = provenSecrets.hashOf(token);
  if (proven !== undefined) {
    const row = await find();
    if (row !== undefined && equalSecrets(row.secretHash, proven) && counts(row)) return row;
    provenSecrets.forget(token);
  }
  const attempt = await failedAttempts.begin(source, parsed.publicId);
  let row: Row | undefined;
  try {
    row = await find();
    // Like an unknown key, one that does not count costs no hash, and the attempt stays counted.
    if (row === undefined || !counts(row) || !await argon2id.verify(parsed.secret, row.secretHash)) {
      attempt.fail();
      return undefined;
    }
  } catch (error) {
    // A missing database or a busy thread pool is not the caller's failure.
    await attempt.giveBack();
    throw error;
  }
  await attempt.giveBack();
  provenSecrets.note(token, row.secretHash);
  return row;
}

export function isExpired(key: { readonly expiresAt: Date | null }, now: Date): boolean {
  return key.expiresAt !== null && key.expiresAt.getTime() <= now.getTime();
}

/** Refuses an address outside the key's ranges. An unknown address is in no range. */
export function refuseAddress({ cidrs }: { readonly cidrs: readonly string[] }, address: string | undefined): void {
  if (cidrs.length === 0 || isInCidrs(cidrs, address)) return;
  throw new ServiceError("ip_not_allowed", "Cannot accept the request: the key may not be used from this address");
}

/**
 * Refuses a workspace of another region. It runs only after authentication, so that a stranger does not learn where a
 * workspace lives.
 */
export function refuseRegion({ config }: Pick<Deps, "config">, { region }: { readonly region: string | null }): void {
  if (config.region === undefined || region === null || config.region === region) return;
  throw new ServiceError("wrong_region", `Cannot serve this workspace here: its home region is ${region}`, {
    extra: { homeRegion: region },
  });
}

/** Refuses every request in a workspace that was suspended, after its caller's key, address and region were checked. */
export function refuseSuspended({ isSuspended }: { readonly isSuspended?: boolean | undefined }): void {
  if (isSuspended !== true) return;
  throw new ServiceError("workspace_suspended", "Cannot serve this workspace: it is suspended");
}
