/** Admins of the service and their keys. They stand in the workspace of all zeros: every transaction here is bound to it. */
import type { Tx } from "../scope.ts";
import { KEY_CHANNEL } from "./api_keys.ts";

export interface AdminKeyFound {
  readonly keyId: string;
  readonly adminId: string;
  readonly secretHash: string;
  readonly cidrs: readonly string[];
  readonly expiresAt: Date | null;
  /** Or when its admin was disabled. */
  readonly revokedAt: Date | null;
}

export async function findAdminKey(tx: Tx, publicId: string): Promise<AdminKeyFound | undefined> {
  const [row] = await tx.sql<AdminKeyFound[]>`
    select k.key_id as "keyId", k.admin_id as "adminId", k.secret_hash as "secretHash", k.cidrs,
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

/** Tells every process at the commit that keys of an admin, or the one that is named, have to be verified anew. */
export async function tellAdminKeysChanged(tx: Tx, adminId: string, keyId?: string): Promise<string[]> {
  const { sql } = tx;
  const rows = await sql<{ publicId: string }[]>`
    select public_id as "publicId", pg_notify(${KEY_CHANNEL}, public_id) from svc_admin_key
     where workspace_id = ${tx.workspaceId} and admin_id = ${adminId}
       ${keyId === undefined ? sql`` : sql`and key_id = ${keyId}`}`;
  return rows.map((row) => row.publicId);
}
