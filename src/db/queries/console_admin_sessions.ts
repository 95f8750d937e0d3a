/** Sessions of admins in the console. Their rows are in the workspace of all zeros, to which every transaction here is bound. */
import type { Tx } from "../tx.ts";
import type { AdminKeyFound } from "./admins.ts";

export interface NewConsoleAdminSession {
  readonly sessionHash: string;
  /** Of what the page sends beside the cookie. */
  readonly proofHash: string;
  readonly adminId: string;
  /** Null: an issuer vouched for the admin. */
  readonly keyId: string | null;
  readonly expiresAt: Date;
}

export async function insertConsoleAdminSession(tx: Tx, session: NewConsoleAdminSession): Promise<void> {
  const { sessionHash, proofHash, adminId, keyId, expiresAt } = session;
  await tx.sql`
    insert into console_admin_session
      (workspace_id, session_hash, proof_hash, admin_id, key_id, created_at, last_used_at, expires_at)
    values (${tx.workspaceId}, ${sessionHash}, ${proofHash}, ${adminId}, ${keyId}, ${tx.now}, ${tx.now}, ${expiresAt})`;
}

/** Ends the sessions that are over, and those of an admin that are older than the newest `kept`. */
export async function deleteOldConsoleAdminSessions(tx: Tx, adminId: string, kept: number): Promise<void> {
  const { sql, workspaceId } = tx;
  await sql`
    delete from console_admin_session
     where workspace_id = ${workspaceId}
       and (expires_at <= ${tx.now}
            or session_hash in (
              select session_hash from console_admin_session
               where workspace_id = ${workspaceId} and admin_id = ${adminId}
               order by created_at desc, session_hash offset ${kept}))`;
}

export interface UsedConsoleAdminSession extends Omit<AdminKeyFound, "secretHash" | "revokedAt" | "keyId"> {
  readonly keyId: string | null;
  /** When the session ends, whatever becomes of its key. */
  readonly endsAt: Date;
  readonly writesUntil: Date | null;
}

/**
 * Finds a session and notes its use, at most twice a minute. Undefined when there is none, it is over or was idle too
 * long, its key or its admin counts no longer, or the admin's one-time codes were set up anew since.
 */
export async function useConsoleAdminSession(
  tx: Tx,
  { sessionHash, proofHash }: Pick<NewConsoleAdminSession, "sessionHash" | "proofHash">,
  idleSeconds: number,
): Promise<UsedConsoleAdminSession | undefined> {
  const { sql, workspaceId, now } = tx;
  const [row] = await sql<UsedConsoleAdminSession[]>`
    with found as (
      select s.session_hash, s.last_used_at, s.key_id as "keyId", s.admin_id as "adminId", a.name as "adminName",
             coalesce(k.cidrs, '{}') as cidrs, k.expires_at as "expiresAt", s.expires_at as "endsAt", s.writes_until as "writesUntil"
        from console_admin_session s
        left join svc_admin_key k on k.workspace_id = s.workspace_id and k.key_id = s.key_id
        join svc_admin a on a.workspace_id = s.workspace_id and a.admin_id = s.admin_id
       where s.workspace_id = ${workspaceId} and s.session_hash = ${sessionHash} and s.proof_hash = ${proofHash}
         and s.expires_at > ${now} and s.last_used_at > ${now}::timestamptz - ${idleSeconds} * interval '1 second'
         and k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now})
         and a.disabled_at is null and (s.key_id is null or a.enrolled_at <= s.created_at)
    ), noted as (
      update console_admin_session s set last_used_at = ${now} from found f
       where s.workspace_id = ${workspaceId} and s.session_hash = f.session_hash
         and f.last_used_at < ${now}::timestamptz - interval '30 seconds'
    )
    select "keyId", "adminId", "adminName", cidrs, "expiresAt", "endsAt", "writesUntil" from found`;
  return row;
}

/** Sets until when a session may change something; null: no longer. */
export async function setConsoleAdminWriting(tx: Tx, sessionHash: string, until: Date | null): Promise<void> {
  await tx.sql`
    update console_admin_session set writes_until = ${until}
     where workspace_id = ${tx.workspaceId} and session_hash = ${sessionHash}`;
}

export async function deleteConsoleAdminSession(tx: Tx, sessionHash: string): Promise<void> {
  await tx.sql`
    delete from console_admin_session where workspace_id = ${tx.workspaceId} and session_hash = ${sessionHash}`;
}
