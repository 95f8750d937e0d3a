/** The identity of the command line: the operator, who has the machine and its secrets. */
import type { Deps, OperationContext } from "../context.ts";
import { operatorContext } from "../domain/access/authorize.ts";
import { SYSTEM_WORKSPACE } from "../domain/common/system.ts";
import { getWorkspace } from "../domain/access/admin/workspaces.ts";

/** The operator outside of any workspace. */
export function systemContext(deps: Deps): OperationContext {
  return operatorContext(deps, SYSTEM_WORKSPACE);
}

/**
 * The operator inside a workspace. Without the check, a mistyped id would look like an empty workspace.
 * @throws ServiceError `not_found`
 */
export async function operatorIn(deps: Deps, workspaceId: string): Promise<OperationContext> {
  await getWorkspace(systemContext(deps), workspaceId);
  return operatorContext(deps, workspaceId);
}
