/** What recall reads of the rows behind the index. */
import type { Tx } from "../scope.ts";

/** The last turns of a session before a position, oldest first. */
export async function listTurnsBefore(
  tx: Tx,
  sessionId: string,
  position: number,
  limit: number,
): Promise<{ content: string; author: string }[]> {
  const rows = await tx.sql<{ content: string; author: string }[]>`
    select content, coalesce(name, role) as author from turn
     where workspace_id = ${tx.workspaceId} and session_id = ${sessionId} and position < ${position}
     order by position desc limit ${limit}`;
  return rows.reverse();
}
