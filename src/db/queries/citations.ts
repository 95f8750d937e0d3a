/** The turns that citations name. */
import type { Tx } from "../tx.ts";

export interface CitedTurn {
  readonly id: string;
  readonly sessionId: string;
  readonly messageId: string;
  readonly role: string;
  readonly name: string | null;
  readonly content: string;
  readonly occurredAt: Date;
}

/** Turns with one of these message ids, in any session; at most two of each, so that ambiguity shows. */
export async function findCitedTurns(
  tx: Tx,
  citations: readonly { readonly messageId: string; readonly sessionId?: string | undefined }[],
): Promise<CitedTurn[]> {
  return await tx.sql<CitedTurn[]>`
    select t.id, t.session_id as "sessionId", t.message_id as "messageId", t.role, t.name, t.content,
           t.occurred_at as "occurredAt"
      from unnest(${citations.map((c) => c.messageId)}::text[], ${citations.map((c) => c.sessionId ?? null)}::uuid[])
             as c(message_id, session_id)
     cross join lateral (
       select * from turn
        where workspace_id = ${tx.workspaceId} and message_id = c.message_id
          and (c.session_id is null or session_id = c.session_id)
        limit 2) t`;
}
