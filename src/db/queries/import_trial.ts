/** Statements on trials of imports. */
import type { Tx } from "../tx.ts";

/** Makes the transaction the workspace's only trial of an import until it ends; false if there is one. */
export async function lockTrial(tx: Tx): Promise<boolean> {
  const [row] = await tx.sql<[{ taken: boolean }]>`
    select pg_try_advisory_xact_lock(hashtextextended(${tx.workspaceId}::uuid::text, 7305415)) as taken`;
  return row.taken;
}
