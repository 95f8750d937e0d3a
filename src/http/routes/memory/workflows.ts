/** `/v1/memory/workflows` */
import * as workflows from "../../../operations/workflows.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "Workflows",
  section: "Knowledge",
  description: "Recipes of several steps.",
};

export const createWorkflow = route("post", "/memory/workflows", workflows.createWorkflow);
export const listWorkflows = route("get", "/memory/workflows", workflows.listWorkflows);
export const getWorkflow = route("get", "/memory/workflows/{id}", workflows.getWorkflow);
export const updateWorkflow = route("patch", "/memory/workflows/{id}", workflows.updateWorkflow);
export const archiveWorkflow = route("delete", "/memory/workflows/{id}", workflows.archiveWorkflow);
export const createWorkflows = route("post", "/memory/workflows/batch", workflows.createWorkflows);
export const forgetWorkflow = route("post", "/memory/workflows/{id}/forget", workflows.forgetWorkflow);
export const restoreWorkflow = route("post", "/memory/workflows/{id}/restore", workflows.restoreWorkflow);
export const listWorkflowRevisions = route("get", "/memory/workflows/{id}/revisions", workflows.listWorkflowRevisions);
