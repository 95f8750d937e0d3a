/** Enters another workspace within a transaction, for operations of admins on a workspace. */
import type { Sensitivity } from "../schema/common.ts";
import type { Tx } from "./tx.ts";

/**
 * Runs work of the transaction inside another workspace; during the work, row-level security shows
 * only that one. Audit rows go to the chains that they name, by default to the transaction's own.
 *
 * The change feed is unaffected: a workspace's own transactions record changes of its knowledge.
 */
export async function enterWorkspace<T>(tx: Tx, workspaceId: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  if (workspaceId === tx.workspaceId) return await work(tx);
  await tx.sql`select set_config('app.workspace_id', ${workspaceId}, true)`;
  const value = await work({
    ...tx,
    workspaceId,
    record: () => {
      throw new Error("Cannot record a change in a workspace that was entered: it would stand in the other's feed");
    },
    noteWords: () => {
      throw new Error("Cannot change the vocabulary of a workspace that was entered: the other's would be changed");
    },
  });
  // If the work throws, the rollback of the transaction or savepoint undoes the setting, too.
  await tx.sql`select set_config('app.workspace_id', ${tx.workspaceId}, true)`;
  return value;
}

/** Runs reads of the transaction with another clearance. If they throw, the rollback undoes the setting. */
export async function withClearance<T>(
  tx: Tx,
  maxSensitivity: Sensitivity,
  read: (tx: Tx) => Promise<T>,
): Promise<T> {
  await tx.sql`select set_config('app.max_sensitivity', ${maxSensitivity}, true)`;
  const value = await read({ ...tx, maxSensitivity });
  await tx.sql`select set_config('app.max_sensitivity', ${tx.maxSensitivity}, true)`;
  return value;
}
