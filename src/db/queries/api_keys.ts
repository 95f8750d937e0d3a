/** API keys. Looking one up by its public id crosses workspaces, so it goes through a function of its own. */
import type { Sql, Tx } from "../scope.ts";
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
}

export async function findApiKey(sql: Sql, publicId: string): Promise<ApiKeyRow | undefined> {
  const [row] = await sql<ApiKeyRow[]>`
    select workspace_id as "workspaceId", key_id as "keyId", name, secret_hash as "secretHash", scopes,
           max_sensitivity as "maxSensitivity", cidrs, rate_limit as "rateLimit", expires_at as "expiresAt",
           revoked_at as "revokedAt", region
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
}

export async function insertApiKey(tx: Tx, key: NewApiKey): Promise<void> {
  await tx.sql`
    insert into api_key (workspace_id, key_id, public_id, name, secret_hash, scopes, max_sensitivity, cidrs, rate_limit,
                         expires_at, created_at)
    values (${tx.workspaceId}, ${key.keyId}, ${key.publicId}, ${key.name}, ${key.secretHash}, ${key.scopes as string[]},
            ${key.maxSensitivity}, ${key.cidrs as string[]}, ${key.rateLimit && tx.sql.json({ ...key.rateLimit })},
            ${key.expiresAt}, ${tx.now})`;
}

export interface ApiKeyListed {
  readonly keyId: string;
  readonly publicId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly maxSensitivity: Sensitivity;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

export async function listApiKeys(tx: Tx): Promise<ApiKeyListed[]> {
  return await tx.sql<ApiKeyListed[]>`
    select key_id as "keyId", public_id as "publicId", name, scopes, max_sensitivity as "maxSensitivity",
           created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt"
      from api_key where workspace_id = ${tx.workspaceId} order by key_id`;
}

/** The channel on which every process hears of a revocation; the message is the key's public id. */
export const KEY_CHANNEL = "svc_api_key";

/** Revokes a key and tells every process at the commit. Answers its public id, or nothing when there is no such key. */
export async function revokeApiKey(tx: Tx, keyId: string): Promise<string | undefined> {
  const [row] = await tx.sql<{ publicId: string }[]>`
    with revoked as (
      update api_key set revoked_at = coalesce(revoked_at, ${tx.now})
       where workspace_id = ${tx.workspaceId} and key_id = ${keyId}
      returning public_id
    )
    select public_id as "publicId", pg_notify(${KEY_CHANNEL}, public_id) from revoked`;
  return row?.publicId;
}
