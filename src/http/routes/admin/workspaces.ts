/** Workspaces under an admin's bearer. Interface §2.2 "Workspace", decisions §6 "keys, workspaces". */
import * as workspaces from "../../../domain/access/admin/workspaces.ts";
import {
  CreateWorkspaceBody,
  ListWorkspacesQuery,
  UpdateWorkspaceBody,
  Workspace,
  WorkspacePage,
  WorkspaceParams,
} from "../../../schema/admin_workspace.ts";
import { endpoint } from "../../endpoint.ts";

/** Creates a workspace. */
export const createWorkspace = endpoint({
  method: "post",
  path: "/admin/workspaces",
  operationId: "createWorkspace",
  summary: "Create a workspace",
  description: "It is pinned to its region for good.",
  bearer: "admin",
  scope: "memory:admin",
  body: CreateWorkspaceBody,
  status: 201,
  response: Workspace,
  versioned: true,
  example: { body: { name: "acme", region: "eu-west-1" } },
}, (ctx, { body }) => workspaces.createWorkspace(ctx, body));

/** Lists workspaces, the newest first. */
export const listWorkspaces = endpoint({
  method: "get",
  path: "/admin/workspaces",
  operationId: "listWorkspaces",
  summary: "List workspaces",
  bearer: "admin",
  scope: "memory:admin",
  query: ListWorkspacesQuery,
  response: WorkspacePage,
}, (ctx, { query }) => workspaces.pageWorkspaces(ctx, query));

/** Reads a workspace. */
export const getWorkspace = endpoint({
  method: "get",
  path: "/admin/workspaces/{id}",
  operationId: "getWorkspace",
  summary: "Read a workspace",
  bearer: "admin",
  scope: "memory:admin",
  params: WorkspaceParams,
  response: Workspace,
  versioned: true,
}, (ctx, { params }) => workspaces.getWorkspace(ctx, params.id));

/** Renames a workspace, or changes its settings. */
export const updateWorkspace = endpoint({
  method: "patch",
  path: "/admin/workspaces/{id}",
  operationId: "updateWorkspace",
  summary: "Rename a workspace, or change its settings",
  description:
    "What the settings allow its keys holds at once and in every process. A grant of an admin has the clearance that two admins gave it.",
  bearer: "admin",
  scope: "memory:admin",
  params: WorkspaceParams,
  body: UpdateWorkspaceBody,
  response: Workspace,
  versioned: true,
  example: {
    body: { name: "acme robotics", settings: { maxSensitivity: "confidential", auditAddressDays: 90 } },
  },
}, (ctx, { params, body, ifMatch }) => workspaces.updateWorkspace(ctx, params.id, body, ifMatch));
