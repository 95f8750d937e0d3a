/** Workflows: recipes of several steps. Interface §4.3, decisions §6 "memory/workflows". */
import { WORKFLOWS } from "../../../domain/kinds/workflows.ts";
import {
  CreateWorkflowBody,
  ListWorkflowsQuery,
  UpdateWorkflowBody,
  Workflow,
  WorkflowPage,
} from "../../../schema/workflow.ts";
import {
  archiveEndpoint,
  createEndpoint,
  createManyEndpoint,
  forgetEndpoint,
  getEndpoint,
  listEndpoint,
  restoreEndpoint,
  revisionsEndpoint,
  type UnitFace,
  updateEndpoint,
} from "../../unit_endpoints.ts";

const face: UnitFace = {
  kind: WORKFLOWS,
  path: "/memory/workflows",
  one: "Workflow",
  many: "Workflows",
  article: "a workflow",
  plural: "workflows",
  unit: Workflow,
  page: WorkflowPage,
  createBody: CreateWorkflowBody,
  updateBody: UpdateWorkflowBody,
  listQuery: ListWorkflowsQuery,
  updateDescription: "An archived one is restored by `status: active`, alone or with other changes.",
  createExample: {
    name: "Release",
    goal: "Publish a new version without surprises.",
    preconditions: ["The main branch is green."],
    steps: [
      "Write the changelog.",
      "Tag the commit.",
      "Build the image from the tag.",
      "Watch the canary for an hour.",
    ],
    tags: ["operations"],
  },
  updateExample: { goal: "Publish a new version.", reason: "shorter" },
};

export const createWorkflow = createEndpoint(face);
export const listWorkflows = listEndpoint(face);
export const getWorkflow = getEndpoint(face);
export const updateWorkflow = updateEndpoint(face);
export const archiveWorkflow = archiveEndpoint(face);
export const createWorkflows = createManyEndpoint(face);
export const forgetWorkflow = forgetEndpoint(face);
export const restoreWorkflow = restoreEndpoint(face);
export const listWorkflowRevisions = revisionsEndpoint(face);
