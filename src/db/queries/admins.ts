/**
 * Admins of the service and their keys. Their rows are in the workspace of all zeros, to which every transaction here
 * is bound.
 */
import type { Tx } from "../tx.ts";
import { KEY_CHANNEL } from "./api_keys.ts";

export interface AdminKeyFound {
  readonly keyId: string;
  readonly adminId: string;
  readonly adminName: string;
  readonly secretHash: string;
  readonly cidrs: readonly string[];
  readonly expiresAt: Date | null;
  /** When the key was revoked, or its admin was disabled. */
  readonly revokedAt: Date | null;
}

export async function findAdminKey(tx: Tx, publicId: string): Promise<AdminKeyFound | undefined> {
  const [row] = await tx.sql<AdminKeyFound[]>`
    select k.key_id as "keyId", k.admin_id as "adminId", a.name as "adminName", k.secret_hash as "secretHash", k.cidrs,
           k.expires_at as "expiresAt", coalesce(k.revoked_at, a.disabled_at) as "revokedAt"
      from svc_admin_key k
      join svc_admin a on a.workspace_id = k.workspace_id and a.admin_id = k.admin_id
     where k.workspace_id = ${tx.workspaceId} and k.public_id = ${publicId}`;
  return row;
}

/** Notes the use of a key, at most once a minute. */
export async function touchAdminKey(tx: Tx, keyId: string): Promise<void> {
  await tx.sql`
    update svc_admin_key set last_used_at = ${tx.now}
     where workspace_id = ${tx.workspaceId} and key_id = ${keyId}
       and (last_used_at is null or last_used_at < ${tx.now}::timestamptz - interval '1 minute')`;
}

/** Notifies every process, at the commit, that it must verify the admin's keys again, or only the given one. */
export async function tellAdminKeysChanged(tx: Tx, adminId: string, keyId?: string): Promise<string[]> {
  const { sql } = tx;
  const rows = await sql<{ publicId: string }[]>`
    select public_id as "publicId", pg_notify(${KEY_CHANNEL}, public_id) from svc_admin_key
     where workspace_id = ${tx.workspaceId} and admin_id = ${adminId}
       ${keyId === undefined ? sql`` : sql`and key_id = ${keyId}`}`;
  return rows.map((row) => row.publicId);
}

export interface AdminRow {
  readonly adminId: string;
  readonly name: string;
  readonly createdAt: Date;
  /** When its one-time codes were set up; null: not yet. */
  readonly enrolledAt: Date | null;
  readonly disabledAt: Date | null;
  readonly keys: readonly AdminKeyRow[];
}

export interface AdminKeyRow {
  readonly keyId: string;
  readonly publicId: string;
  readonly name: string;
  readonly cidrs: readonly string[];
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
}

/** Inserts an admin; false if the name is taken. */
export async function insertAdmin(tx: Tx, adminId: string, name: string): Promise<boolean> {
  const rows = await tx.sql`
    insert into svc_admin (workspace_id, admin_id, name, created_at)
    values (${tx.workspaceId}, ${adminId}, ${name}, ${tx.now})
    on conflict do nothing returning 1`;
  return rows.length > 0;
}

/** All admins with their keys. */
export async function listAdmins(tx: Tx): Promise<AdminRow[]> {
  return await tx.sql<AdminRow[]>`
    select a.admin_id as "adminId", a.name, a.created_at as "createdAt", a.enrolled_at as "enrolledAt",
           a.disabled_at as "disabledAt",
           coalesce((
             select jsonb_agg(jsonb_build_object(
                      'keyId', k.key_id, 'publicId', k.public_id, 'name', k.name, 'cidrs', k.cidrs,
                      'createdAt', k.created_at, 'expiresAt', k.expires_at, 'revokedAt', k.revoked_at,
                      'lastUsedAt', k.last_used_at) order by k.key_id)
               from svc_admin_key k where k.workspace_id = a.workspace_id and k.admin_id = a.admin_id), '[]') as keys
      from svc_admin a where a.workspace_id = ${tx.workspaceId} order by a.admin_id`;
}

/** The admin of this name; those that were disabled, too. */
export async function findAdmin(
  tx: Tx,
  name: string,
): Promise<Pick<AdminRow, "adminId" | "name" | "disabledAt"> | undefined> {
  const [row] = await tx.sql<Pick<AdminRow, "adminId" | "name" | "disabledAt">[]>`
    select admin_id as "adminId", name, disabled_at as "disabledAt" from svc_admin
     where workspace_id = ${tx.workspaceId} and lower(name) = lower(${name})`;
  return row;
}

export async function disableAdmin(tx: Tx, adminId: string): Promise<void> {
  await tx.sql`
    update svc_admin set disabled_at = coalesce(disabled_at, ${tx.now}), totp_sealed = null
     where workspace_id = ${tx.workspaceId} and admin_id = ${adminId}`;
}

export interface NewAdminKey {
  readonly keyId: string;
  readonly adminId: string;
  readonly publicId: string;
  readonly name: string;
  readonly secretHash: string;
  readonly cidrs: readonly string[];
  readonly expiresAt: Date | null;
}

export async function insertAdminKey(tx: Tx, key: NewAdminKey): Promise<void> {
  await tx.sql`
    insert into svc_admin_key (workspace_id, key_id, admin_id, public_id, name, secret_hash, cidrs, created_at, expires_at)
    values (${tx.workspaceId}, ${key.keyId}, ${key.adminId}, ${key.publicId}, ${key.name}, ${key.secretHash},
            ${key.cidrs as string[]}, ${tx.now}, ${key.expiresAt})`;
}

/** Revokes an admin's key. @returns the id of its admin; undefined if there is no such key */
export async function revokeAdminKey(tx: Tx, keyId: string): Promise<string | undefined> {
  const [row] = await tx.sql<{ adminId: string }[]>`
    update svc_admin_key set revoked_at = coalesce(revoked_at, ${tx.now})
     where workspace_id = ${tx.workspaceId} and key_id = ${keyId}
    returning admin_id as "adminId"`;
  return row?.adminId;
}

/** Sets a new secret for one-time codes; codes of the former one are no longer valid. */
export async function setTotpSecret(tx: Tx, adminId: string, sealed: string): Promise<void> {
  await tx.sql`
    update svc_admin set totp_sealed = ${sealed}, totp_last_step = null, totp_tries = 0, totp_tries_from = null,
           enrolled_at = ${tx.now}
     where workspace_id = ${tx.workspaceId} and admin_id = ${adminId}`;
}

/** After this many wrong codes within the window no code is accepted. */
export const TOTP_TRIES_MAX = 5;
const TOTP_WINDOW_SECONDS = 900;

export interface TotpState {
  readonly sealed: string;
  /** The step of the last accepted code; no code of this step or an earlier one is accepted again. */
  readonly lastStep: number | null;
  /** Seconds until the next try is allowed; null: it is allowed now. */
  readonly waitSeconds: number | null;
}

/**
 * Reads and locks, until the transaction ends, what the check of a code needs, so that codes of one
 * admin are checked one by one; undefined if the admin is not enrolled, or disabled.
 */
export async function lockTotp(tx: Tx, adminId: string): Promise<TotpState | undefined> {
  const [row] = await tx.sql<TotpState[]>`
    select totp_sealed as sealed, totp_last_step::float8 as "lastStep",
           case when totp_tries >= ${TOTP_TRIES_MAX} and totp_tries_from > ${tx.now}::timestamptz - ${window(tx)}
                then greatest(1, ceil(extract(epoch from totp_tries_from + ${
    window(tx)
  } - ${tx.now}::timestamptz)))::int
           end as "waitSeconds"
      from svc_admin
     where workspace_id = ${tx.workspaceId} and admin_id = ${adminId} and totp_sealed is not null and disabled_at is null
       for update`;
  return row;
}

/** Counts a wrong code of an admin. */
export async function countWrongTotp(tx: Tx, adminId: string): Promise<void> {
  const { sql } = tx;
  const isOver = sql`(totp_tries_from is null or totp_tries_from <= ${tx.now}::timestamptz - ${window(tx)})`;
  await sql`
    update svc_admin
       set totp_tries = case when ${isOver} then 1 else totp_tries + 1 end,
           totp_tries_from = case when ${isOver} then ${tx.now}::timestamptz else totp_tries_from end
     where workspace_id = ${tx.workspaceId} and admin_id = ${adminId}`;
}

/** Accepts the code of a step; no code of this step or an earlier one is accepted again. */
export async function acceptTotpStep(tx: Tx, adminId: string, step: number): Promise<void> {
  await tx.sql`
    update svc_admin set totp_last_step = ${step}
     where workspace_id = ${tx.workspaceId} and admin_id = ${adminId}`;
}

function window({ sql }: Tx) {
  return sql`${TOTP_WINDOW_SECONDS} * interval '1 second'`;
}
