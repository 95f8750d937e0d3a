/** Tasks of agents: states, leases, dependencies, delegation. */
import { z } from "zod";
import {
  AgentId,
  EndInput,
  Id,
  JsonValue,
  ListQuery,
  Metadata,
  pageOf,
  repeated,
  Sensitivity,
  Tags,
  textOf,
  Timestamp,
  TimestampInput,
  wholeNumber,
} from "./common.ts";

export const TASK_STATUSES = ["pending", "in_progress", "blocked", "completed", "failed", "cancelled"] as const;
export const TaskStatus = z.enum(TASK_STATUSES).meta({
  id: "TaskStatus",
  description: "`completed`, `failed` and `cancelled` are final",
});
export type TaskStatus = z.infer<typeof TaskStatus>;

export const TASK_KINDS = ["task", "conflict_review"] as const;
export const TaskKind = z.enum(TASK_KINDS).meta({ id: "TaskKind" });
export type TaskKind = z.infer<typeof TaskKind>;

export const DEPENDENCIES_MAX = 100;
export const DELEGATIONS_MAX = 100;
const PRIORITY_MAX = 3;
export const LEASE_SECONDS_MAX = 86_400;
export const RESULT_BYTES_MAX = 65_536;

const Title = textOf(1_000);
const Description = textOf(16_384);
const Priority = z.int().min(0).max(PRIORITY_MAX).meta({ description: "3 is the most urgent" });
const Reason = z.string().min(1).max(1_000);
const Dependencies = z.array(Id).max(DEPENDENCIES_MAX).meta({
  description: "Tasks that must be `completed` before this one can start. None may be more sensitive than this one",
});
const Result = JsonValue.refine(
  (value) => new TextEncoder().encode(JSON.stringify(value)).byteLength <= RESULT_BYTES_MAX,
  `must be at most ${RESULT_BYTES_MAX} bytes as JSON`,
).meta({ id: "TaskResult", description: "The result: any JSON value of at most 64 KiB" });

/** One step of a task from agent to agent. */
export const Delegation = z.strictObject({
  from: z.string().nullable().meta({ description: "Null: it was unassigned" }),
  to: z.string(),
  at: Timestamp,
  by: z.string().meta({ description: "Who requested the delegation" }),
  reason: z.string().nullable(),
}).meta({ id: "Delegation" });
export type Delegation = z.infer<typeof Delegation>;

export const Task = z.strictObject({
  id: Id,
  version: z.int().min(1).meta({
    description: "Increases with every change. The version that a claim returns is a fencing token",
  }),
  kind: TaskKind,
  status: TaskStatus,
  statusReason: z.string().nullable().meta({ description: "The reason for the state, if one was given" }),
  title: z.string(),
  description: z.string().nullable(),
  priority: Priority,
  agentId: z.string().nullable().meta({
    description: "The agent that the task is assigned to; null: any agent may claim it",
  }),
  dependsOn: z.array(Id).meta({ description: "Tasks that must be completed before this one can start" }),
  leaseExpiresAt: Timestamp.nullable().meta({ description: "When the claim expires and the task is `pending` again" }),
  dueAt: Timestamp.nullable().meta({ description: "By when it should be done; nothing happens by itself then" }),
  result: JsonValue.nullable().meta({ description: "What came of it: any JSON value" }),
  delegations: z.array(Delegation).meta({ description: "All delegations, oldest first" }),
  sensitivity: Sensitivity,
  tags: z.array(z.string()).meta({ description: "Labels of the caller" }),
  metadata: z.record(z.string(), JsonValue).meta({ description: "Free members of the caller" }),
  startedAt: Timestamp.nullable().meta({ description: "When the task was first started" }),
  finishedAt: Timestamp.nullable().meta({ description: "When it was completed, failed or cancelled" }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  createdBy: z.string().meta({ description: "Who created it, such as `key:<id>`" }),
}).meta({ id: "Task", description: "A task of an agent" });
export type Task = z.infer<typeof Task>;
export const TaskPage = pageOf(Task).meta({ id: "TaskPage" });

export const TaskParams = z.strictObject({ id: Id });

export const CreateTaskBody = z.strictObject({
  title: Title,
  description: Description.optional(),
  kind: TaskKind.default("task"),
  priority: Priority.default(1),
  agentId: AgentId.optional().meta({ description: "The agent to assign it to. Default: any agent may claim it" }),
  dependsOn: Dependencies.default([]),
  dueAt: EndInput.optional(),
  sensitivity: Sensitivity.optional().meta({
    description: "At most the key's clearance. Default: `internal`, or that of its most sensitive dependency",
  }),
  tags: Tags.default([]),
  metadata: Metadata.default({}),
}).meta({ id: "CreateTaskBody" });
export type CreateTaskBody = z.infer<typeof CreateTaskBody>;

export const UpdateTaskBody = z.strictObject({
  status: TaskStatus.optional(),
  reason: Reason.optional().meta({ description: "Why the state changes; needs `status`" }),
  title: Title.optional(),
  description: Description.nullable().optional(),
  priority: Priority.optional(),
  dependsOn: Dependencies.optional().meta({
    description: "Replaces the whole list; only while the task is `pending` or `blocked`",
  }),
  dueAt: EndInput.nullable().optional(),
  result: Result.optional(),
  tags: Tags.optional(),
  metadata: Metadata.optional().meta({ description: "Replaces the whole value" }),
}).refine((body) => Object.keys(body).some((name) => name !== "reason"), { message: "must change something" })
  .refine((body) => body.reason === undefined || body.status !== undefined, {
    message: "needs a status",
    path: ["reason"],
  })
  .meta({ id: "UpdateTaskBody" });
export type UpdateTaskBody = z.infer<typeof UpdateTaskBody>;

export const DelegateTaskBody = z.strictObject({
  agentId: AgentId.meta({ description: "The agent that gets the task" }),
  reason: Reason.optional(),
}).meta({ id: "DelegateTaskBody" });
export type DelegateTaskBody = z.infer<typeof DelegateTaskBody>;

export const ClaimTaskBody = z.strictObject({
  agentId: AgentId.meta({ description: "The agent that claims the task" }),
  ttlSeconds: z.int().min(1).max(LEASE_SECONDS_MAX).default(300).meta({ description: "How long the lease lasts" }),
}).meta({ id: "ClaimTaskBody" });
export type ClaimTaskBody = z.infer<typeof ClaimTaskBody>;

export const ListTasksQuery = ListQuery.extend({
  agentId: AgentId.optional(),
  status: repeated(TaskStatus, TASK_STATUSES.length).optional().meta({
    description: "May be repeated. Default: all states",
  }),
  kind: TaskKind.optional(),
  priority: repeated(wholeNumber(0, PRIORITY_MAX), PRIORITY_MAX + 1).optional().meta({
    description: "May be repeated",
  }),
  dueBefore: TimestampInput.optional().meta({ description: "Tasks that are due before this time" }),
});
export type ListTasksQuery = z.infer<typeof ListTasksQuery>;
