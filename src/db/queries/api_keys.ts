/** API keys. Looking one up by its public id crosses workspaces, so it goes through a function of its own. */
import type { Sql, Tx } from "../tx.ts";
import type { Sensitivity } from "../../schema/common.ts";
import type { Scope } from "../../schema/scopes.ts";

/** A key's own limit; whole numbers. */
interface RateLimitSetting {
  readonly perMinute: number;
  readonly burst: number;
}

export interface ApiKeyRow {
  readonly workspaceId: string;
  readonly keyId: string;
  readonly name: string;
  readonly secretHash: string;
  readonly scopes: readonly Scope[];
  readonly maxSensitivity: Sensitivity;
  readonly cidrs: readonly string[];
  readonly rateLimit: RateLimitSetting | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** The workspace's home region. */
  readonly region: string;
  /** Whether the workspace is suspended. */
  readonly isSuspended: boolean;
}

export async function findApiKey(sql: Sql, publicId: string): Promise<ApiKeyRow | undefined> {
  const [row] = await sql<ApiKeyRow[]>`
    select workspace_id as "workspaceId", key_id as "keyId", name, secret_hash as "secretHash", scopes,
           max_sensitivity as "maxSensitivity", cidrs, rate_limit as "rateLimit", expires_at as "expiresAt",
           revoked_at as "revokedAt", region, is_suspended as "isSuspended"
      from svc_system.find_api_key(${publicId})`;
  return row;
}

/** Notes the use of a key, at most once a minute. */
export async function touchApiKey(sql: Sql, publicId: string): Promise<void> {
  await sql`select svc_system.touch_api_key(${publicId})`;
}

export interface NewApiKey {
  readonly keyId: string;
  readonly publicId: string;
  readonly name: string;
  readonly secretHash: string;
  readonly scopes: readonly Scope[];
  readonly maxSensitivity: Sensitivity;
  readonly expiresAt: Date | null;
  readonly cidrs: readonly string[];
  readonly rateLimit: RateLimitSetting | null;
  /** The key that gives it, if one does: the new one can do no more, and ends with it. */
  readonly givenBy?: string | undefined;
}

export async function insertApiKey(tx: Tx, key: NewApiKey): Promise<void> {
  await tx.sql`
    insert into api_key (workspace_id, key_id, public_id, name, secret_hash, scopes, max_sensitivity, cidrs, rate_limit,
                         expires_at, created_at, updated_at, given_by)
    values (${tx.workspaceId}, ${key.keyId}, ${key.publicId}, ${key.name}, ${key.secretHash}, ${key.scopes as string[]},
            ${key.maxSensitivity}, ${key.cidrs as string[]}, ${key.rateLimit && tx.sql.json({ ...key.rateLimit })},
            ${key.expiresAt}, ${tx.now}, ${tx.now}, ${key.givenBy ?? null})`;
}

/** Whether somebody has had a key of the workspace, even one that is no longer valid, or anything was stored in it. */
export async function hasBeenUsed(tx: Tx): Promise<boolean> {
  const [row] = await tx.sql<[{ used: boolean }]>`
    select exists (select from api_key where workspace_id = ${tx.workspaceId})
        or exists (select from feed_head where workspace_id = ${tx.workspaceId} and seq > 0) as used`;
  return row.used;
}

/** A key without its secret. */
export interface ApiKeyListed {
  readonly workspaceId: string;
  readonly keyId: string;
  readonly publicId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly maxSensitivity: Sensitivity;
  readonly cidrs: readonly string[];
  readonly rateLimit: RateLimitSetting | null;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
  /** When the last of the secrets that were rotated out expires; it may have expired. */
  readonly formerValidUntil: Date | null;
}

function columns(sql: Sql) {
  return sql`
    k.workspace_id as "workspaceId", k.key_id as "keyId", k.public_id as "publicId", k.name, k.scopes,
    k.max_sensitivity as "maxSensitivity", k.cidrs, k.rate_limit as "rateLimit", k.version,
    k.created_at as "createdAt", k.updated_at as "updatedAt", k.expires_at as "expiresAt", k.revoked_at as "revokedAt",
    k.last_used_at as "lastUsedAt"`;
}

function formerValidUntil(sql: Sql) {
  return sql`
    (select max(f.expires_at) from api_key_former_secret f
      where f.workspace_id = k.workspace_id and f.key_id = k.key_id) as "formerValidUntil"`;
}

export async function listApiKeys(tx: Tx): Promise<ApiKeyListed[]> {
  const { sql } = tx;
  return await sql<ApiKeyListed[]>`
    select ${columns(sql)}, ${formerValidUntil(sql)} from api_key k
     where k.workspace_id = ${tx.workspaceId} order by k.key_id`;
}

/** One key of the workspace; `lock` keeps it as it is until the transaction ends. */
export async function findListedKey(tx: Tx, keyId: string, lock = false): Promise<ApiKeyListed | undefined> {
  const { sql } = tx;
  const [row] = await sql<ApiKeyListed[]>`
    select ${columns(sql)}, ${formerValidUntil(sql)} from api_key k
     where k.workspace_id = ${tx.workspaceId} and k.key_id = ${keyId} ${lock ? sql`for update of k` : sql``}`;
  return row;
}

/** The names of those of these keys that the workspace has, by id. */
export async function listKeyNames(tx: Tx, keyIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.sql<{ keyId: string; name: string }[]>`
    select key_id as "keyId", name from api_key
     where workspace_id = ${tx.workspaceId} and key_id = any(${keyIds}::uuid[])`;
  return new Map(rows.map(({ keyId, name }) => [keyId, name]));
}

/** Finds the workspace of any key. */
export async function locateApiKey(sql: Sql, keyId: string): Promise<{ readonly workspaceId: string } | undefined> {
  const [row] = await sql<[{ workspaceId: string | null }]>`
    select svc_system.locate_api_key(${keyId}) as "workspaceId"`;
  return row.workspaceId === null ? undefined : { workspaceId: row.workspaceId };
}

export interface KeyPageFilter {
  readonly workspaceId: string | undefined;
  readonly order: "asc" | "desc";
  /** The key before the first. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** Keys of all workspaces or of one, in the order of their ids. */
export async function pageApiKeys(sql: Sql, filter: KeyPageFilter): Promise<ApiKeyListed[]> {
  const { workspaceId = null, after = null, order, limit } = filter;
  return await sql<ApiKeyListed[]>`
    select ${columns(sql)}, k.former_valid_until as "formerValidUntil"
      from svc_system.page_api_keys(${workspaceId}::uuid, ${after}::uuid, ${order === "asc"}, ${limit}) k
     order by ${order === "asc" ? sql`k.key_id` : sql`k.key_id desc`}`;
}

/** The properties of a key that can be changed. */
export type KeyRights = Pick<
  ApiKeyListed,
  "name" | "scopes" | "maxSensitivity" | "cidrs" | "rateLimit" | "expiresAt"
>;

/** Writes the columns that may change, of a key that the transaction has locked. */
export async function updateApiKey(tx: Tx, keyId: string, rights: KeyRights): Promise<void> {
  const { sql } = tx;
  await sql`
    update api_key set name = ${rights.name}, scopes = ${rights.scopes as string[]},
           max_sensitivity = ${rights.maxSensitivity}, cidrs = ${rights.cidrs as string[]},
           rate_limit = ${rights.rateLimit && sql.json({ ...rights.rateLimit })}, expires_at = ${rights.expiresAt},
           version = version + 1, updated_at = ${tx.now}
     where workspace_id = ${tx.workspaceId} and key_id = ${keyId}`;
}

/**
 * Replaces the current secret of a key, which is valid until `formerExpiresAt`; undefined: no longer. No secret that
 * was rotated out before is valid any longer than that.
 */
export async function replaceSecret(
  tx: Tx,
  keyId: string,
  secret: { readonly publicId: string; readonly secretHash: string },
  formerExpiresAt: Date | undefined,
): Promise<void> {
  const { sql, workspaceId } = tx;
  const until = formerExpiresAt ?? null;
  await sql`
    delete from api_key_former_secret
     where workspace_id = ${workspaceId} and key_id = ${keyId}
       and (${until}::timestamptz is null or expires_at <= ${tx.now})`;
  if (until !== null) {
    await sql`
      update api_key_former_secret set expires_at = ${until}
       where workspace_id = ${workspaceId} and key_id = ${keyId} and expires_at > ${until}`;
    await sql`
      insert into api_key_former_secret (workspace_id, public_id, key_id, secret_hash, expires_at)
      select workspace_id, public_id, key_id, secret_hash, ${until}::timestamptz from api_key
       where workspace_id = ${workspaceId} and key_id = ${keyId}`;
  }
  await sql`
    update api_key set public_id = ${secret.publicId}, secret_hash = ${secret.secretHash}, version = version + 1,
           updated_at = ${tx.now}
     where workspace_id = ${workspaceId} and key_id = ${keyId}`;
}

/** The channel on which every process hears that a key's rights changed; the message is a public id of the key. */
export const KEY_CHANNEL = "svc_api_key";
/** On that channel: every key must be verified again. */
export const ALL_KEYS = "*";

/**
 * Notifies every process, at the commit, that it must verify the key, and those that it gave, again.
 * @returns the public ids by which these keys are known
 */
export async function tellKeyChanged(tx: Tx, keyId: string): Promise<string[]> {
  const rows = await tx.sql<{ publicId: string }[]>`
    select s.public_id as "publicId", pg_notify(${KEY_CHANNEL}, s.public_id)
      from (select public_id from api_key where workspace_id = ${tx.workspaceId} and key_id = ${keyId}
            union all
            select public_id from api_key where workspace_id = ${tx.workspaceId} and given_by = ${keyId}
            union all
            select public_id from api_key_former_secret
             where workspace_id = ${tx.workspaceId} and key_id = ${keyId}) s`;
  return rows.map((row) => row.publicId);
}

/**
 * Like `tellKeyChanged`, for the workspace's unrevoked keys and for all former secrets, also of revoked keys:
 * the rights that the workspace allows its keys have changed.
 */
export async function tellKeysChanged(tx: Tx): Promise<string[]> {
  const rows = await tx.sql<{ publicId: string }[]>`
    select s.public_id as "publicId", pg_notify(${KEY_CHANNEL}, s.public_id)
      from (select k.public_id from api_key k where k.workspace_id = ${tx.workspaceId} and k.revoked_at is null
            union all
            select f.public_id from api_key_former_secret f where f.workspace_id = ${tx.workspaceId}) s`;
  return rows.map((row) => row.publicId);
}

/** Revokes a key of the workspace, with all its secrets. */
export async function revokeApiKey(tx: Tx, keyId: string): Promise<void> {
  await tx.sql`
    update api_key set revoked_at = coalesce(revoked_at, ${tx.now}), version = version + 1, updated_at = ${tx.now}
     where workspace_id = ${tx.workspaceId} and key_id = ${keyId}`;
}
