/** On whose behalf the command line acts: the operator, who has the machine and its secrets. */
import type { Deps, OperationContext } from "../context.ts";
import { operatorContext } from "../domain/access/authorize.ts";
import { SYSTEM_WORKSPACE } from "../domain/common/system.ts";
import { getWorkspace } from "../domain/access/admin/workspaces.ts";

/** The operator outside of any workspace. */
export function systemContext(deps: Deps): OperationContext {
  return operatorContext(deps, SYSTEM_WORKSPACE);
}

/**
 * The operator inside a workspace. A mistyped id would else look like a workspace in which there is nothing.
 * @throws ServiceError `not_found`
 */
export async function operatorIn(deps: Deps, workspaceId: string): Promise<OperationContext> {
  await getWorkspace(systemContext(deps), workspaceId);
  return operatorContext(deps, workspaceId);
}
