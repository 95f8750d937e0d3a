/** The identity of the command line: the operator, who has the machine and its secrets. */
import type { Deps, OperationContext } from "../context.ts";
import { operatorContext } from "../domain/access/authorize.ts";
import { SYSTEM_WORKSPACE } from "../domain/common/system.ts";
import { getWorkspace, listWorkspaces } from "../domain/access/admin/workspaces.ts";
import { ServiceError } from "../errors.ts";
import { parseId } from "./parse.ts";

/** The option that says in which workspace a command works; `operatorIn` takes its value. */
export const WORKSPACE = [
  "--workspace <id>",
  "id of the workspace; needed only where there are several",
  parseId,
] as const;

/** How many workspaces a refusal names. */
const NAMED_MAX = 10;

/** The operator outside of any workspace. */
export function systemContext(deps: Deps): OperationContext {
  return operatorContext(deps, SYSTEM_WORKSPACE);
}

/**
 * The operator inside a workspace; without an id, inside the only one. Without the check, a mistyped id would look like
 * an empty workspace.
 * @throws ServiceError `not_found`; `validation_failed` when there are several and none is named
 */
export async function operatorIn(deps: Deps, workspaceId: string | undefined): Promise<OperationContext> {
  if (workspaceId === undefined) return operatorContext(deps, await findOnlyWorkspace(deps));
  await getWorkspace(systemContext(deps), workspaceId);
  return operatorContext(deps, workspaceId);
}

async function findOnlyWorkspace(deps: Deps): Promise<string> {
  const rows = await listWorkspaces(deps);
  const [only, ...others] = rows;
  if (only === undefined) {
    throw new ServiceError("not_found", "Cannot find a workspace: there is none. Make one: workspace create --name …");
  }
  if (others.length === 0) return only.workspaceId;
  const names = rows.slice(0, NAMED_MAX).map(({ workspaceId, name }) => `${workspaceId} (${name})`).join(", ");
  throw new ServiceError(
    "validation_failed",
    `Cannot choose a workspace: there are ${rows.length}. Add --workspace and one of ${names}` +
      (rows.length > NAMED_MAX ? ", …" : ""),
  );
}
