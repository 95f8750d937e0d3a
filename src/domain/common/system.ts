/** The service as a whole: where its own rows are, and how its administration reaches into workspaces. */
import type { OperationContext } from "../../context.ts";
import { enterWorkspace } from "../../db/enter_workspace.ts";
import type { TxOptions } from "../../db/tx.ts";

/** Stands for "no workspace": what belongs to the service as a whole, such as admins and the system's own audit chain. */
export const SYSTEM_WORKSPACE = "00000000-0000-0000-0000-000000000000";

/** The same operation on behalf of the same principal, inside the workspace that it is about. */
export function inWorkspace(ctx: OperationContext, workspaceId: string): OperationContext {
  if (workspaceId === ctx.workspaceId) return ctx;
  return {
    ...ctx,
    workspaceId,
    tx: (work, options) => ctx.tx((tx) => enterWorkspace(tx, workspaceId, work), { ...options, at: workspaceId }),
  };
}

/** The options of an operation's reads outside its workspace. */
export function systemReads({ signal }: OperationContext): TxOptions {
  return { readOnly: true, signal };
}

/** Merges the pages that the clusters returned into one page. */
export function mergePages<Row>(
  rows: readonly Row[],
  { order, limit }: { readonly order: "asc" | "desc"; readonly limit: number },
  idOf: (row: Row) => string,
): Row[] {
  const sign = order === "asc" ? 1 : -1;
  return rows.toSorted((a, b) => sign * (idOf(a) < idOf(b) ? -1 : 1)).slice(0, limit);
}

/** Both chains record what an admin does to a workspace: the workspace's own and the system's. */
export function chainsOf(workspaceId: string): readonly string[] {
  return [SYSTEM_WORKSPACE, workspaceId];
}
