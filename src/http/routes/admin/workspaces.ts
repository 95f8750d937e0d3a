/** `/v1/admin/workspaces` */
import * as workspaces from "../../../operations/workspaces.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "Workspaces",
  section: "Administration",
  description: "Create, list and change workspaces. Needs an admin's bearer.",
};

export const createWorkspace = route("post", "/admin/workspaces", workspaces.createWorkspace);
export const listWorkspaces = route("get", "/admin/workspaces", workspaces.listWorkspaces);
export const getWorkspace = route("get", "/admin/workspaces/{id}", workspaces.getWorkspace);
export const updateWorkspace = route("patch", "/admin/workspaces/{id}", workspaces.updateWorkspace);
