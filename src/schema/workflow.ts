/** Workflows: recipes of several steps towards a goal. */
import { z } from "zod";
import { pageOf, textOf } from "./common.ts";
import { KeptStatus, RestoredStatus } from "./strategy.ts";
import {
  CHANGES_SOMETHING,
  changesSomething,
  Name,
  Prose,
  unitInputShape,
  unitListQuery,
  unitPatchShape,
  unitShape,
} from "./unit.ts";

const Line = textOf(4_096);
const Steps = z.array(Line).min(1).max(100).meta({ description: "What to do, in this order" });
const Preconditions = z.array(Line).max(50).meta({ description: "Conditions that must hold before the first step" });

export const Workflow = z.strictObject({
  ...unitShape("workflow", KeptStatus),
  name: z.string(),
  goal: z.string().nullable(),
  steps: z.array(z.string()),
  preconditions: z.array(z.string()),
}).meta({ id: "Workflow", description: "A workflow, step by step" });
export type Workflow = z.infer<typeof Workflow>;
export const WorkflowPage = pageOf(Workflow).meta({ id: "WorkflowPage" });

export const CreateWorkflowBody = z.strictObject({
  ...unitInputShape,
  name: Name,
  goal: Prose.optional(),
  steps: Steps,
  preconditions: Preconditions.default([]),
}).meta({ id: "CreateWorkflowBody" });
export type CreateWorkflowBody = z.infer<typeof CreateWorkflowBody>;

export const UpdateWorkflowBody = z.strictObject({
  ...unitPatchShape,
  name: Name.optional(),
  goal: Prose.nullable().optional(),
  steps: Steps.optional(),
  preconditions: Preconditions.optional(),
  status: RestoredStatus,
}).refine(changesSomething, CHANGES_SOMETHING).meta({ id: "UpdateWorkflowBody" });
export type UpdateWorkflowBody = z.infer<typeof UpdateWorkflowBody>;

export const ListWorkflowsQuery = unitListQuery(KeptStatus, "`active`").extend({
  name: Name.optional().meta({ description: "Equal to this name, exactly" }),
});
export type ListWorkflowsQuery = z.infer<typeof ListWorkflowsQuery>;
