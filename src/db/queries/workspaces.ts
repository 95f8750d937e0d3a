/** Workspaces as the operator sees them; every statement is one function of `svc_system`. */
import type { Sql } from "../scope.ts";

export interface WorkspaceRow {
  readonly workspaceId: string;
  readonly name: string;
  readonly region: string;
  readonly createdAt: Date;
}

export async function createWorkspace(sql: Sql, workspace: Omit<WorkspaceRow, "createdAt">): Promise<void> {
  await sql`select svc_system.create_workspace(${workspace.workspaceId}, ${workspace.name}, ${workspace.region})`;
}

export async function listWorkspaces(sql: Sql): Promise<WorkspaceRow[]> {
  return await sql<WorkspaceRow[]>`
    select workspace_id as "workspaceId", name, region, created_at as "createdAt" from svc_system.list_workspaces()`;
}

/** Creates the first workspace; answers false, and does nothing, when there is one already. */
export async function createFirstWorkspace(sql: Sql, workspace: Omit<WorkspaceRow, "createdAt">): Promise<boolean> {
  const [row] = await sql<[{ created: boolean }]>`
    select svc_system.create_first_workspace(${workspace.workspaceId}, ${workspace.name}, ${workspace.region}) as created`;
  return row.created;
}
