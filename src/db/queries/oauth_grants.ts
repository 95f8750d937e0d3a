/** Grants and their one-use secrets. Finding a secret crosses workspaces, so it goes through a function of its own. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Scope } from "../../schema/scopes.ts";
import type { Sql, Tx } from "../tx.ts";

export interface NewGrant {
  readonly keyId: string;
  readonly clientId: string;
  readonly redirectHost: string | null;
  readonly resource: string;
}

export async function insertGrant(tx: Tx, grant: NewGrant): Promise<void> {
  await tx.sql`
    insert into oauth_grant (workspace_id, key_id, client_id, redirect_host, resource, created_at)
    values (${tx.workspaceId}, ${grant.keyId}, ${grant.clientId}, ${grant.redirectHost}, ${grant.resource}, ${tx.now})`;
}

export interface NewSecret {
  readonly secretHash: string;
  readonly keyId: string;
  readonly kind: "code" | "device" | "refresh";
  readonly challenge?: string;
  readonly redirectUri?: string;
  readonly expiresAt: Date;
}

export async function insertSecret(tx: Tx, secret: NewSecret): Promise<void> {
  await tx.sql`
    insert into oauth_secret (workspace_id, secret_hash, key_id, kind, challenge, redirect_uri, created_at, expires_at)
    values (${tx.workspaceId}, ${secret.secretHash}, ${secret.keyId}, ${secret.kind}, ${secret.challenge ?? null},
            ${secret.redirectUri ?? null}, ${tx.now}, ${secret.expiresAt})`;
}

export interface FoundSecret {
  readonly workspaceId: string;
  readonly keyId: string;
}

/** Finds the grant of a secret, in whichever workspace it is. */
export async function findSecret(sql: Sql, secretHash: string): Promise<FoundSecret | undefined> {
  const [row] = await sql<FoundSecret[]>`
    select workspace_id as "workspaceId", key_id as "keyId" from svc_system.find_oauth_secret(${secretHash})`;
  return row;
}

/** A secret with the grant that it belongs to. */
export interface SecretRow {
  readonly keyId: string;
  readonly kind: NewSecret["kind"];
  readonly challenge: string | null;
  readonly redirectUri: string | null;
  readonly expiresAt: Date;
  readonly usedAt: Date | null;
  readonly clientId: string;
  readonly resource: string;
  /** Of the grant's key. */
  readonly publicId: string;
  readonly name: string;
}

/** Reads a secret of the workspace. `lock`: of callers at the same time, each sees what the one before it did. */
export async function readSecret(tx: Tx, secretHash: string, { lock = false } = {}): Promise<SecretRow | undefined> {
  const { sql, workspaceId } = tx;
  const [row] = await sql<SecretRow[]>`
    select s.key_id as "keyId", s.kind, s.challenge, s.redirect_uri as "redirectUri", s.expires_at as "expiresAt",
           s.used_at as "usedAt", g.client_id as "clientId", g.resource, k.public_id as "publicId", k.name
      from oauth_secret s
      join oauth_grant g on g.workspace_id = ${workspaceId} and g.key_id = s.key_id
      join api_key k on k.workspace_id = ${workspaceId} and k.key_id = s.key_id
     where s.workspace_id = ${workspaceId} and s.secret_hash = ${secretHash} ${lock ? sql`for update of s` : sql``}`;
  return row;
}

export async function useSecret(tx: Tx, secretHash: string): Promise<void> {
  await tx.sql`
    update oauth_secret set used_at = ${tx.now} where workspace_id = ${tx.workspaceId} and secret_hash = ${secretHash}`;
}

/** Deletes used secrets of a grant beyond its newest `kept`: a client that still has one of these has lost many since. */
export async function deleteOldSecrets(tx: Tx, keyId: string, kept: number): Promise<void> {
  const { sql, workspaceId } = tx;
  await sql`
    delete from oauth_secret
     where workspace_id = ${workspaceId}
       and secret_hash in (
         select secret_hash from oauth_secret
          where workspace_id = ${workspaceId} and key_id = ${keyId}
          order by created_at desc, secret_hash offset ${kept})`;
}

/** Deletes all secrets of a grant that ends. */
export async function deleteSecrets(tx: Tx, keyId: string): Promise<void> {
  await tx.sql`delete from oauth_secret where workspace_id = ${tx.workspaceId} and key_id = ${keyId}`;
}

/** Deletes some of the workspace's secrets whose time is over. */
export async function deleteExpiredSecrets(tx: Tx, limit: number): Promise<void> {
  const { sql, workspaceId } = tx;
  await sql`
    delete from oauth_secret
     where workspace_id = ${workspaceId}
       and secret_hash in (
         select secret_hash from oauth_secret
          where workspace_id = ${workspaceId} and expires_at <= ${tx.now} limit ${limit})`;
}

/** Lets the key of a grant count longer, null: until it is ended, unless somebody has set another end for it since. */
export async function extendGrant(
  tx: Tx,
  keyId: string,
  { from, until }: { readonly from: Date; readonly until: Date | null },
): Promise<void> {
  await tx.sql`
    update api_key set expires_at = ${until}, updated_at = ${tx.now}
     where workspace_id = ${tx.workspaceId} and key_id = ${keyId} and expires_at = ${from}`;
}

export interface GrantRow {
  readonly keyId: string;
  readonly publicId: string;
  readonly name: string;
  readonly clientId: string;
  readonly redirectHost: string | null;
  readonly resource: string;
  readonly scopes: readonly Scope[];
  readonly maxSensitivity: Sensitivity;
  readonly givenBy: string | null;
  readonly giverName: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
}

/** The grants of the workspace that count at the transaction's time, newest first: those that one key gave, or all. */
export async function listGrants(tx: Tx, givenBy: string | undefined, limit: number): Promise<GrantRow[]> {
  const { sql, workspaceId, now } = tx;
  return await sql<GrantRow[]>`
    select g.key_id as "keyId", k.public_id as "publicId", k.name, g.client_id as "clientId",
           g.redirect_host as "redirectHost", g.resource, k.scopes, k.max_sensitivity as "maxSensitivity",
           k.given_by as "givenBy", f.name as "giverName", g.created_at as "createdAt",
           least(k.expires_at, f.expires_at) as "expiresAt", k.last_used_at as "lastUsedAt"
      from oauth_grant g
      join api_key k on k.workspace_id = ${workspaceId} and k.key_id = g.key_id
      left join api_key f on f.workspace_id = ${workspaceId} and f.key_id = k.given_by
     where g.workspace_id = ${workspaceId} and k.revoked_at is null and f.revoked_at is null
       and coalesce(least(k.expires_at, f.expires_at) > ${now}, true)
       ${givenBy === undefined ? sql`` : sql`and k.given_by = ${givenBy}`}
     order by g.key_id desc limit ${limit}`;
}

/** The grant of a key of the workspace; undefined if the key is none of a grant. `lock` keeps the key as it is. */
export async function findGrant(
  tx: Tx,
  keyId: string,
): Promise<{ readonly clientId: string; readonly givenBy: string | null } | undefined> {
  const { sql, workspaceId } = tx;
  const [row] = await sql<{ clientId: string; givenBy: string | null }[]>`
    select g.client_id as "clientId", k.given_by as "givenBy"
      from oauth_grant g join api_key k on k.workspace_id = ${workspaceId} and k.key_id = g.key_id
     where g.workspace_id = ${workspaceId} and g.key_id = ${keyId} for update of k`;
  return row;
}
