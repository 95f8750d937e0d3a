/** Tickets that open one stream. Taking one crosses workspaces, so it goes through a function of its own. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Sql, Tx } from "../tx.ts";

type Via = "mcp" | "console";

export interface NewStreamTicket {
  readonly ticketHash: string;
  readonly publicId: string;
  readonly maxSensitivity: Sensitivity;
  readonly expiresAt: Date;
  /** The face through which it was made, if the audit log names it. */
  readonly via: Via | null;
}

/** Stores a ticket of a key of the workspace; returns the key's id, undefined if the secret is no longer valid. */
export async function insertStreamTicket(tx: Tx, ticket: NewStreamTicket): Promise<string | undefined> {
  const { sql, workspaceId } = tx;
  const [row] = await sql<{ keyId: string }[]>`
    insert into stream_ticket (workspace_id, ticket_hash, key_id, public_id, max_sensitivity, expires_at, via)
    select ${workspaceId}, ${ticket.ticketHash}, s.key_id, ${ticket.publicId}, ${ticket.maxSensitivity}, ${ticket.expiresAt},
           ${ticket.via}
      from (select key_id from api_key where workspace_id = ${workspaceId} and public_id = ${ticket.publicId}
            union all
            select key_id from api_key_former_secret
             where workspace_id = ${workspaceId} and public_id = ${ticket.publicId}) s
    returning key_id as "keyId"`;
  return row?.keyId;
}

/** Deletes some of the workspace's expired tickets. */
export async function deleteOldStreamTickets(tx: Tx, limit: number): Promise<void> {
  const { sql, workspaceId } = tx;
  await sql`
    delete from stream_ticket
     where workspace_id = ${workspaceId}
       and ticket_hash in (
         select ticket_hash from stream_ticket
          where workspace_id = ${workspaceId} and expires_at <= ${tx.now} limit ${limit})`;
}

export interface RedeemedTicket {
  readonly publicId: string;
  readonly maxSensitivity: Sensitivity;
  readonly expiresAt: Date;
  readonly via: Via | null;
}

/** Takes a ticket; undefined when there is none, or it was taken. */
export async function redeemStreamTicket(sql: Sql, ticketHash: string): Promise<RedeemedTicket | undefined> {
  const [row] = await sql<RedeemedTicket[]>`
    select public_id as "publicId", max_sensitivity as "maxSensitivity", expires_at as "expiresAt", via
      from svc_system.take_stream_ticket(${ticketHash})`;
  return row;
}
