/** Statements on the table `idempotent_reply`: replies kept for 24 hours. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Tx } from "../tx.ts";

export interface ReplyName {
  readonly operationId: string;
  readonly keyHash: string;
}

export interface IdempotentReplyRow {
  readonly fingerprint: string;
  /** Null: claimed by a request that has not ended. */
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: it contained a resource that was erased. */
  readonly body: string | null;
  readonly sealed: boolean;
}

export interface NewIdempotentReply extends ReplyName, IdempotentReplyRow {
  readonly status: number;
  readonly sensitivity: Sensitivity;
  readonly resourceIds: readonly string[];
}

/** Waits for the transaction that has the name. */
export async function lockReply(tx: Tx, { operationId, keyHash }: ReplyName): Promise<void> {
  await tx.sql`
    select pg_advisory_xact_lock(hashtextextended(${`${tx.workspaceId} ${operationId} ${keyHash}`}, 7305412))`;
}

/** Locks the name until the transaction ends; false if another transaction is answering the same request. */
export async function tryLockReply(tx: Tx, { operationId, keyHash }: ReplyName): Promise<boolean> {
  const [row] = await tx.sql<[{ locked: boolean }]>`
    select pg_try_advisory_xact_lock(hashtextextended(${`${tx.workspaceId} ${operationId} ${keyHash}`}, 7305412)) as locked`;
  return row.locked;
}

/** Finds a reply that is less than 24 hours old by the database's clock. */
export async function findReply(tx: Tx, { operationId, keyHash }: ReplyName): Promise<IdempotentReplyRow | undefined> {
  const [row] = await tx.sql<IdempotentReplyRow[]>`
    select fingerprint, status, headers, body, sealed from idempotent_reply
     where workspace_id = ${tx.workspaceId} and operation_id = ${operationId} and key_hash = ${keyHash}
       and created_at > clock_timestamp() - interval '24 hours'`;
  return row;
}

/** Whether a reply is kept, even one for which the transaction is not cleared. */
export async function isReplyKept(tx: Tx, { operationId, keyHash }: ReplyName): Promise<boolean> {
  const [row] = await tx.sql<[{ kept: boolean }]>`
    select svc_system.is_reply_kept(${operationId}, ${keyHash}) as kept`;
  return row.kept;
}

export interface ReplyClaim extends ReplyName {
  readonly fingerprint: string;
  readonly sensitivity: Sensitivity;
}

/** Reserves a name before there is a reply; replaces a reply that is too old to be served. */
export async function claimReply(tx: Tx, claim: ReplyClaim): Promise<void> {
  await tx.sql`
    insert into idempotent_reply (workspace_id, operation_id, key_hash, fingerprint, sensitivity, headers)
    values (${tx.workspaceId}, ${claim.operationId}, ${claim.keyHash}, ${claim.fingerprint}, ${claim.sensitivity}, '{}')
    on conflict (workspace_id, operation_id, key_hash) do update
      set fingerprint = excluded.fingerprint, sensitivity = excluded.sensitivity, status = null,
          headers = excluded.headers, body = null, sealed = false, resource_ids = '{}',
          created_at = excluded.created_at`;
}

/** Releases a name that has no reply. */
export async function deleteClaim(tx: Tx, { operationId, keyHash }: ReplyName): Promise<void> {
  await tx.sql`
    delete from idempotent_reply
     where workspace_id = ${tx.workspaceId} and operation_id = ${operationId} and key_hash = ${keyHash}
       and status is null`;
}

/** Stores a reply in the place of one that is too old to be served, if there is one. */
export async function storeReply(tx: Tx, reply: NewIdempotentReply): Promise<void> {
  await tx.sql`
    insert into idempotent_reply
      (workspace_id, operation_id, key_hash, fingerprint, sensitivity, status, headers, body, sealed, resource_ids)
    values (${tx.workspaceId}, ${reply.operationId}, ${reply.keyHash}, ${reply.fingerprint}, ${reply.sensitivity},
            ${reply.status}, ${tx.sql.json(reply.headers)}, ${reply.body}, ${reply.sealed},
            ${reply.resourceIds as string[]}::uuid[])
    on conflict (workspace_id, operation_id, key_hash) do update
      set fingerprint = excluded.fingerprint, sensitivity = excluded.sensitivity, status = excluded.status,
          headers = excluded.headers, body = excluded.body, sealed = excluded.sealed,
          resource_ids = excluded.resource_ids, created_at = excluded.created_at`;
}

/** Removes the body of every reply that names the resource, for every caller. */
export async function eraseReplies(tx: Tx, resourceId: string): Promise<void> {
  await tx.sql`select svc_system.erase_idempotent_replies(${resourceId})`;
}

/** Deletes replies that are too old to be served, at most `limit`; returns how many. */
export async function deleteOldReplies(tx: Tx, limit: number): Promise<number> {
  const rows = await tx.sql`
    delete from idempotent_reply
     where workspace_id = ${tx.workspaceId} and (operation_id, key_hash) in (
       select operation_id, key_hash from idempotent_reply
        where workspace_id = ${tx.workspaceId} and created_at <= clock_timestamp() - interval '24 hours'
        order by created_at limit ${limit})
    returning 1`;
  return rows.length;
}
