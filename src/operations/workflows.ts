/** Workflows: recipes of several steps. */
import { WORKFLOWS } from "../domain/kinds/workflows.ts";
import { ListWorkflowsQuery, WorkflowPage } from "../schema/workflow.ts";
import * as unit from "./kind.ts";

const WORKFLOW: unit.RevisedKindWords = {
  kind: WORKFLOWS,
  one: "Workflow",
  many: "Workflows",
  article: "a workflow",
  plural: "workflows",
  page: WorkflowPage,
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

export const createWorkflow = unit.creating(WORKFLOW);
export const listWorkflows = unit.listing(WORKFLOW);
export const getWorkflow = unit.getting(WORKFLOW);
export const updateWorkflow = unit.updating(WORKFLOW);
export const archiveWorkflow = unit.archiving(WORKFLOW);
export const createWorkflows = unit.creatingMany(WORKFLOW);
export const forgetWorkflow = unit.forgetting(WORKFLOW);
export const restoreWorkflow = unit.restoring(WORKFLOW);
export const listWorkflowRevisions = unit.listingRevisions(WORKFLOW);
