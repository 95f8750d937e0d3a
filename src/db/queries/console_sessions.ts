/** Sessions of the console. Using one crosses workspaces, so it goes through a function of its own. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Scope } from "../../schema/scopes.ts";
import type { Sql, Tx } from "../tx.ts";

export interface NewConsoleSession {
  readonly sessionHash: string;
  /** Of what the page sends beside the cookie. */
  readonly proofHash: string;
  readonly publicId: string;
  /** Whether it may make keys of its workspace. */
  readonly managesKeys: boolean;
  readonly scopes: readonly Scope[];
  readonly maxSensitivity: Sensitivity;
  readonly expiresAt: Date;
}

/** Stores a session of a key of the workspace; returns the key's id, undefined if the secret is no longer valid. */
export async function insertConsoleSession(tx: Tx, session: NewConsoleSession): Promise<string | undefined> {
  const { sql, workspaceId, now } = tx;
  const { sessionHash, proofHash, publicId, managesKeys, scopes, maxSensitivity, expiresAt } = session;
  const [row] = await sql<{ keyId: string }[]>`
    insert into console_session (workspace_id, session_hash, proof_hash, key_id, public_id, scopes, max_sensitivity, created_at,
                                 last_used_at, expires_at, manages_keys)
    select ${workspaceId}, ${sessionHash}, ${proofHash}, s.key_id, ${publicId}, ${scopes as string[]}, ${maxSensitivity}, ${now},
           ${now}, ${expiresAt}, ${managesKeys}
      from (select key_id from api_key where workspace_id = ${workspaceId} and public_id = ${publicId}
            union all
            select key_id from api_key_former_secret
             where workspace_id = ${workspaceId} and public_id = ${publicId}) s
    returning key_id as "keyId"`;
  return row?.keyId;
}

/** Ends the sessions that are over, and those of a key that are older than its newest `kept`. */
export async function deleteOldConsoleSessions(tx: Tx, keyId: string, kept: number): Promise<void> {
  const { sql, workspaceId } = tx;
  await sql`
    delete from console_session
     where workspace_id = ${workspaceId}
       and (expires_at <= ${tx.now}
            or session_hash in (
              select session_hash from console_session
               where workspace_id = ${workspaceId} and key_id = ${keyId}
               order by created_at desc, session_hash offset ${kept}))`;
}

export interface UsedConsoleSession {
  readonly workspaceId: string;
  readonly publicId: string;
  readonly scopes: readonly Scope[];
  readonly maxSensitivity: Sensitivity;
  readonly expiresAt: Date;
  readonly writesUntil: Date | null;
  readonly managesKeys: boolean;
}

/** Finds a session and notes its use; undefined when there is none, or it is over or was idle too long. */
export async function useConsoleSession(
  sql: Sql,
  { sessionHash, proofHash }: Pick<NewConsoleSession, "sessionHash" | "proofHash">,
  now: Date,
  idleSeconds: number,
): Promise<UsedConsoleSession | undefined> {
  const [row] = await sql<UsedConsoleSession[]>`
    select workspace_id as "workspaceId", public_id as "publicId", scopes, max_sensitivity as "maxSensitivity",
           expires_at as "expiresAt", writes_until as "writesUntil", manages_keys as "managesKeys"
      from svc_system.use_console_session(${sessionHash}, ${proofHash}, ${now}, ${idleSeconds})`;
  return row;
}

/** Sets until when a session may change something; null: no longer. */
export async function setConsoleWriting(tx: Tx, sessionHash: string, until: Date | null): Promise<void> {
  await tx.sql`
    update console_session set writes_until = ${until}
     where workspace_id = ${tx.workspaceId} and session_hash = ${sessionHash}`;
}

export async function deleteConsoleSession(tx: Tx, sessionHash: string): Promise<void> {
  await tx.sql`
    delete from console_session where workspace_id = ${tx.workspaceId} and session_hash = ${sessionHash}`;
}
