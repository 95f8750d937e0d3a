/** Workspaces under an admin's bearer. */
import * as workspaces from "../domain/access/admin/workspaces.ts";
import {
  CreateWorkspaceBody,
  ListWorkspacesQuery,
  UpdateWorkspaceBody,
  Workspace,
  WorkspacePage,
  WorkspaceParams,
} from "../schema/admin_workspace.ts";
import { operation } from "./operation.ts";

/** Creates a workspace. */
export const createWorkspace = operation({
  id: "createWorkspace",
  summary: "Create a workspace",
  description: "The region of a workspace never changes.",
  bearer: "admin",
  scope: "memory:admin",
  body: CreateWorkspaceBody,
  status: 201,
  reply: Workspace,
  versioned: true,
  example: { body: { name: "acme", region: "eu-west-1" } },
}, (ctx, { body }) => workspaces.createWorkspace(ctx, body));

/** Lists workspaces, the newest first. */
export const listWorkspaces = operation({
  id: "listWorkspaces",
  summary: "List workspaces",
  bearer: "admin",
  scope: "memory:admin",
  changes: false,
  query: ListWorkspacesQuery,
  reply: WorkspacePage,
}, (ctx, { query }) => workspaces.pageWorkspaces(ctx, query));

/** Reads a workspace. */
export const getWorkspace = operation({
  id: "getWorkspace",
  summary: "Read a workspace",
  bearer: "admin",
  scope: "memory:admin",
  changes: false,
  params: WorkspaceParams,
  reply: Workspace,
  versioned: true,
}, (ctx, { params }) => workspaces.getWorkspace(ctx, params.id));

/** Renames a workspace, or changes its settings. */
export const updateWorkspace = operation({
  id: "updateWorkspace",
  summary: "Rename a workspace, or change its settings",
  description:
    "Settings that restrict keys take effect immediately, in every process. They do not restrict a break-glass grant, whose clearance two admins have set.",
  bearer: "admin",
  scope: "memory:admin",
  params: WorkspaceParams,
  body: UpdateWorkspaceBody,
  reply: Workspace,
  versioned: true,
  example: {
    body: { name: "acme robotics", settings: { maxSensitivity: "confidential", auditAddressDays: 90 } },
  },
}, (ctx, { params, body, expectedVersion }) => workspaces.updateWorkspace(ctx, params.id, body, expectedVersion));
