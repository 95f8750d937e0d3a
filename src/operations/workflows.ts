/** Workflows: recipes of several steps. */
import { WORKFLOWS } from "../domain/kinds/workflows.ts";
import { ListWorkflowsQuery, WorkflowPage } from "../schema/workflow.ts";
import {
  archiving,
  creating,
  creatingMany,
  forgetting,
  getting,
  listing,
  listingRevisions,
  restoring,
  type RevisedKindWords,
  updating,
} from "./kind.ts";

const WORKFLOW: RevisedKindWords = {
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

export const createWorkflow = creating(WORKFLOW);
export const listWorkflows = listing(WORKFLOW);
export const getWorkflow = getting(WORKFLOW);
export const updateWorkflow = updating(WORKFLOW);
export const archiveWorkflow = archiving(WORKFLOW);
export const createWorkflows = creatingMany(WORKFLOW);
export const forgetWorkflow = forgetting(WORKFLOW);
export const restoreWorkflow = restoring(WORKFLOW);
export const listWorkflowRevisions = listingRevisions(WORKFLOW);
