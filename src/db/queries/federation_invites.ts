/** Statements on `federation_invite`: invitations to become a peer. */
import type { Tx } from "../tx.ts";

/** A stored invitation. */
export interface InviteRow {
  readonly id: string;
  /** The secrets of the invitation, sealed. */
  readonly sealed: string;
  readonly keyId: string;
  /** How many wrong proofs were given for it. */
  readonly failures: number;
  readonly expiresAt: Date;
  readonly usedAt: Date | null;
}

export async function insertInvite(
  tx: Tx,
  invite: Pick<InviteRow, "id" | "sealed" | "keyId" | "expiresAt">,
): Promise<void> {
  const { sql, workspaceId, now, actor } = tx;
  await sql`
    insert into federation_invite (workspace_id, id, sealed, key_id, expires_at, created_by, created_at)
    values (${workspaceId}, ${invite.id}, ${invite.sealed}, ${invite.keyId}, ${invite.expiresAt}, ${actor}, ${now})`;
}

/** Finds an invitation and locks it until the transaction ends. */
export async function findInvite(tx: Tx, id: string): Promise<InviteRow | undefined> {
  const { sql, workspaceId } = tx;
  const [row] = await sql<InviteRow[]>`
    select id, sealed, key_id as "keyId", failures, expires_at as "expiresAt", used_at as "usedAt"
      from federation_invite where workspace_id = ${workspaceId} and id = ${id} for update`;
  return row;
}

/** Whether a key belongs to an invitation, used or not. Such a key opens nothing without the peer's token. */
export async function isInvitedKey(tx: Tx, keyId: string): Promise<boolean> {
  const { sql, workspaceId } = tx;
  const [row] = await sql<[{ is: boolean }]>`
    select exists (
      select from federation_invite where workspace_id = ${workspaceId} and key_id = ${keyId}) as is`;
  return row.is;
}

/** Marks an invitation as used by a peer. */
export async function useInvite(tx: Tx, id: string, peerId: string): Promise<void> {
  const { sql, workspaceId, now } = tx;
  // The secrets are not needed any more.
  await sql`
    update federation_invite set used_at = ${now}, peer_id = ${peerId}, sealed = ''
     where workspace_id = ${workspaceId} and id = ${id}`;
}

/** Counts a wrong proof. Returns how many there were. */
export async function countWrongProof(tx: Tx, id: string): Promise<number> {
  const { sql, workspaceId } = tx;
  const [{ failures }] = await sql<[{ failures: number }]>`
    update federation_invite set failures = failures + 1
     where workspace_id = ${workspaceId} and id = ${id} returning failures`;
  return failures;
}

/** Deletes the unused invitations that have expired, and returns them so that their keys can be revoked. */
export async function deleteOverInvites(tx: Tx): Promise<{ id: string; keyId: string; usedAt: Date | null }[]> {
  const { sql, workspaceId, now } = tx;
  return await sql<{ id: string; keyId: string; usedAt: Date | null }[]>`
    delete from federation_invite where workspace_id = ${workspaceId} and expires_at < ${now} and used_at is null
    returning id, key_id as "keyId", used_at as "usedAt"`;
}

/** Deletes the invitations that a peer used. */
export async function deleteInvitesOf(tx: Tx, peerId: string): Promise<void> {
  const { sql, workspaceId } = tx;
  await sql`delete from federation_invite where workspace_id = ${workspaceId} and peer_id = ${peerId}`;
}
