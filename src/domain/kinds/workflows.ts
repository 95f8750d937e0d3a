/** Workflows: recipes of several steps. */
import type { CreateWorkflowBody, ListWorkflowsQuery, UpdateWorkflowBody } from "../../schema/workflow.ts";
import { labelled, textsOf, type UnitKind } from "../unit/kind.ts";

/** The typed rest of a workflow, as the row keeps it. */
export type WorkflowBody = {
  readonly name: string;
  readonly goal: string | null;
  readonly steps: readonly string[];
  readonly preconditions: readonly string[];
};

export const WORKFLOWS: UnitKind<WorkflowBody, CreateWorkflowBody, UpdateWorkflowBody, ListWorkflowsQuery> = {
  type: "workflow",
  called: ["name"],
  people: [],
  terms: [],
  content: ["name", "goal", "steps", "preconditions"],
  listed: ["active"],
  editable: ["active"],
  transitions: { archived: ["active"] },
  statusOf: () => "active",
  toBody: ({ name, goal, steps, preconditions }) => ({ name, goal: goal ?? null, steps, preconditions }),
  patchBody: (body, patch) => ({
    name: patch.name ?? body.name,
    goal: patch.goal === undefined ? body.goal : patch.goal,
    steps: patch.steps ?? body.steps,
    preconditions: patch.preconditions ?? body.preconditions,
  }),
  textOf: (body) =>
    textsOf([
      body.name,
      labelled("Goal", body.goal),
      labelled("Preconditions", body.preconditions.join("; ")),
      ...body.steps.map((step, i) => `${i + 1}. ${step}`),
    ]),
  filterOf: ({ name }) => name === undefined ? {} : { bodyContains: { name } },
};
