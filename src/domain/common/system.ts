/** The service as a whole: where its own rows stand, and how its administration reaches into workspaces. */
import type { OperationContext } from "../../context.ts";
import { enterWorkspace } from "../../db/enter_workspace.ts";

/** Stands for "no workspace": what belongs to the service as a whole, such as admins and the system's own audit chain. */
export const SYSTEM_WORKSPACE = "00000000-0000-0000-0000-000000000000";

/** The same operation on behalf of the same principal, inside the workspace that it is about. */
export function inWorkspace(ctx: OperationContext, workspaceId: string): OperationContext {
  if (workspaceId === ctx.workspaceId) return ctx;
  return {
    ...ctx,
    workspaceId,
    tx: (work, options) => ctx.tx((tx) => enterWorkspace(tx, workspaceId, work), options),
  };
}

/** What an admin does to a workspace is recorded in its own chain and in the system's. */
export function chainsOf(workspaceId: string): readonly string[] {
  return [SYSTEM_WORKSPACE, workspaceId];
}
