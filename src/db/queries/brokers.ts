/** Brokers and their keys. Their rows are in the workspace of all zeros, to which every transaction here is bound. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Region } from "../../schema/regions.ts";
import type { Scope } from "../../schema/scopes.ts";
import type { Sql, Tx } from "../tx.ts";
import { ALL_KEYS, KEY_CHANNEL } from "./api_keys.ts";

interface RateLimitSetting {
  readonly perMinute: number;
  readonly burst: number;
}

/** The properties of a broker that can be changed. */
export interface BrokerRights {
  readonly scopes: readonly Scope[];
  readonly maxSensitivity: Sensitivity;
  readonly cidrs: readonly string[];
  /** Of the broker's key; null: the configured one. */
  readonly rateLimit: RateLimitSetting | null;
  readonly expiresAt: Date | null;
}

/** A broker without the secret of its key. */
export interface BrokerRow extends BrokerRights {
  readonly brokerId: string;
  readonly name: string;
  readonly region: Region;
  readonly publicId: string;
  /** When the secret that was rotated out expires; it may have expired. */
  readonly formerValidUntil: Date | null;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

/** A broker as one of its secrets finds it. */
export interface BrokerFound extends BrokerRow {
  readonly secretHash: string;
}

function columns(sql: Sql) {
  return sql`
    broker_id as "brokerId", name, region, scopes, max_sensitivity as "maxSensitivity", cidrs, rate_limit as "rateLimit",
    public_id as "publicId", former_valid_until as "formerValidUntil", version, created_at as "createdAt",
    updated_at as "updatedAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt"`;
}

/**
 * Finds the broker of a key, also by a secret that was rotated out, until its time is over. `expiresAt` is the earlier of
 * the broker's and the secret's.
 */
export async function findBrokerKey(tx: Tx, publicId: string): Promise<BrokerFound | undefined> {
  const { sql, workspaceId } = tx;
  const [row] = await sql<BrokerFound[]>`
    select ${columns(sql)}, secret_hash as "secretHash", expires_at as "expiresAt" from svc_broker
     where workspace_id = ${workspaceId} and public_id = ${publicId}
    union all
    select ${columns(sql)}, former_secret_hash, least(expires_at, former_valid_until) from svc_broker
     where workspace_id = ${workspaceId} and former_public_id = ${publicId}`;
  return row;
}

/** Notes the use of a broker's key, at most once a minute. */
export async function touchBroker(tx: Tx, brokerId: string): Promise<void> {
  await tx.sql`
    update svc_broker set last_used_at = ${tx.now}
     where workspace_id = ${tx.workspaceId} and broker_id = ${brokerId}
       and (last_used_at is null or last_used_at < ${tx.now}::timestamptz - interval '1 minute')`;
}

export interface NewBroker extends BrokerRights {
  readonly brokerId: string;
  readonly name: string;
  readonly region: Region;
  readonly publicId: string;
  readonly secretHash: string;
}

/** Inserts a broker; false if the name is taken. */
export async function insertBroker(tx: Tx, broker: NewBroker): Promise<boolean> {
  const { sql, workspaceId, now } = tx;
  const rows = await sql`
    insert into svc_broker (workspace_id, broker_id, name, region, scopes, max_sensitivity, cidrs, rate_limit, public_id,
                            secret_hash, expires_at, created_at, updated_at)
    values (${workspaceId}, ${broker.brokerId}, ${broker.name}, ${broker.region}, ${broker.scopes as string[]},
            ${broker.maxSensitivity}, ${broker.cidrs as string[]},
            ${broker.rateLimit && sql.json({ ...broker.rateLimit })}, ${broker.publicId}, ${broker.secretHash},
            ${broker.expiresAt}, ${now}, ${now})
    on conflict do nothing returning 1`;
  return rows.length > 0;
}

/** A broker; `lock` keeps it as it is until the transaction ends. */
export async function findBroker(tx: Tx, brokerId: string, lock = false): Promise<BrokerRow | undefined> {
  const { sql } = tx;
  const [row] = await sql<BrokerRow[]>`
    select ${columns(sql)}, expires_at as "expiresAt" from svc_broker
     where workspace_id = ${tx.workspaceId} and broker_id = ${brokerId} ${lock ? sql`for update` : sql``}`;
  return row;
}

/** The broker of a tenant. */
export async function findBrokerOf(tx: Tx, tenantId: string): Promise<BrokerRow | undefined> {
  const { sql } = tx;
  const [row] = await sql<BrokerRow[]>`
    select ${columns(sql)}, expires_at as "expiresAt" from svc_broker
     where workspace_id = ${tx.workspaceId} and broker_id = svc_system.locate_tenant(${tenantId})`;
  return row;
}

export interface BrokerPageFilter {
  readonly order: "asc" | "desc";
  /** The broker before the first. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** Brokers in the order of their ids. */
export async function pageBrokers(tx: Tx, { order, after, limit }: BrokerPageFilter): Promise<BrokerRow[]> {
  const { sql } = tx;
  const isUp = order === "asc";
  return await sql<BrokerRow[]>`
    select ${columns(sql)}, expires_at as "expiresAt" from svc_broker
     where workspace_id = ${tx.workspaceId}
       ${after === undefined ? sql`` : isUp ? sql`and broker_id > ${after}` : sql`and broker_id < ${after}`}
     order by ${isUp ? sql`broker_id` : sql`broker_id desc`} limit ${limit}`;
}

/** Writes the columns that may change, of a broker that the transaction has locked. */
export async function updateBroker(tx: Tx, brokerId: string, rights: BrokerRights): Promise<void> {
  const { sql } = tx;
  await sql`
    update svc_broker set scopes = ${rights.scopes as string[]}, max_sensitivity = ${rights.maxSensitivity},
           cidrs = ${rights.cidrs as string[]}, rate_limit = ${rights.rateLimit && sql.json({ ...rights.rateLimit })},
           expires_at = ${rights.expiresAt}, version = version + 1, updated_at = ${tx.now}
     where workspace_id = ${tx.workspaceId} and broker_id = ${brokerId}`;
}

/** Replaces the secret of a broker; the present one stays valid until `formerUntil`, one before it no longer. */
export async function replaceBrokerSecret(
  tx: Tx,
  brokerId: string,
  secret: { readonly publicId: string; readonly secretHash: string },
  formerUntil: Date | undefined,
): Promise<void> {
  const { sql } = tx;
  const former = formerUntil === undefined
    ? sql`former_public_id = null, former_secret_hash = null, former_valid_until = null`
    : sql`former_public_id = public_id, former_secret_hash = secret_hash, former_valid_until = ${formerUntil}`;
  await sql`
    update svc_broker set ${former}, public_id = ${secret.publicId}, secret_hash = ${secret.secretHash},
           version = version + 1, updated_at = ${tx.now}
     where workspace_id = ${tx.workspaceId} and broker_id = ${brokerId}`;
}

/** Revokes a broker's key, with the secret that was rotated out. */
export async function revokeBroker(tx: Tx, brokerId: string): Promise<void> {
  await tx.sql`
    update svc_broker set revoked_at = coalesce(revoked_at, ${tx.now}), version = version + 1, updated_at = ${tx.now}
     where workspace_id = ${tx.workspaceId} and broker_id = ${brokerId}`;
}

/** Notifies every process, at the commit, that it must verify the broker's key again. @returns its public ids */
export async function tellBrokerChanged(tx: Tx, brokerId: string): Promise<string[]> {
  const rows = await tx.sql<{ publicId: string }[]>`
    select s.public_id as "publicId", pg_notify(${KEY_CHANNEL}, s.public_id)
      from (select unnest(array_remove(array[public_id, former_public_id], null)) as public_id from svc_broker
             where workspace_id = ${tx.workspaceId} and broker_id = ${brokerId}) s`;
  return rows.map((row) => row.publicId);
}

/** Notifies every process, at the commit, that the tokens of all tenants must be held against their brokers again. */
export async function tellTokensChanged(tx: Tx): Promise<void> {
  await tx.sql`select pg_notify(${KEY_CHANNEL}, ${ALL_KEYS})`;
}
