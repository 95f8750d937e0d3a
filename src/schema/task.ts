/** Tasks of agents: states, leases, dependencies, delegation. */
import { z } from "zod";
import {
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
const LEASE_SECONDS_MAX = 86_400;
const RESULT_BYTES_MAX = 65_536;

const Title = textOf(1_000);
const Description = textOf(16_384);
const AgentId = z.string().min(1).max(200).meta({ description: "An agent, as the caller names it" });
const Priority = z.int().min(0).max(PRIORITY_MAX).meta({ description: "3 is the most urgent" });
const Reason = z.string().min(1).max(1_000);
const Dependencies = z.array(Id).max(DEPENDENCIES_MAX).meta({
  description: "Tasks that must be `completed` before it can start. They are no more sensitive than it is",
});
const Result = JsonValue.refine(
  (value) => new TextEncoder().encode(JSON.stringify(value)).byteLength <= RESULT_BYTES_MAX,
  `must be at most ${RESULT_BYTES_MAX} bytes as JSON`,
).meta({ id: "TaskResult", description: "What came of it: any JSON value of at most 64 KiB" });

/** One step of a task from agent to agent. */
export const Delegation = z.strictObject({
  from: z.string().nullable().meta({ description: "Null: it was nobody's" }),
  to: z.string(),
  at: Timestamp,
  by: z.string().meta({ description: "Who asked for it" }),
  reason: z.string().nullable(),
}).meta({ id: "Delegation" });
export type Delegation = z.infer<typeof Delegation>;

export const Task = z.strictObject({
  id: Id,
  version: z.int().min(1).meta({ description: "Grows with every change; a claim's version is a fencing token" }),
  kind: TaskKind,
  status: TaskStatus,
  statusReason: z.string().nullable().meta({ description: "Why it is in this state, where somebody said so" }),
  title: z.string(),
  description: z.string().nullable(),
  priority: Priority,
  agentId: z.string().nullable().meta({ description: "Whose task it is; null: whoever claims it" }),
  dependsOn: z.array(Id),
  leaseExpiresAt: Timestamp.nullable().meta({ description: "When the claim ends and the task is `pending` again" }),
  dueAt: Timestamp.nullable(),
  result: JsonValue.nullable(),
  delegations: z.array(Delegation).meta({ description: "The trail, the oldest first" }),
  sensitivity: Sensitivity,
  tags: z.array(z.string()),
  metadata: z.record(z.string(), JsonValue),
  startedAt: Timestamp.nullable().meta({ description: "When it was first started" }),
  finishedAt: Timestamp.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  createdBy: z.string(),
}).meta({ id: "Task" });
export type Task = z.infer<typeof Task>;
export const TaskPage = pageOf(Task).meta({ id: "TaskPage" });

export const TaskParams = z.strictObject({ id: Id });

export const CreateTaskBody = z.strictObject({
  title: Title,
  description: Description.optional(),
  kind: TaskKind.default("task"),
  priority: Priority.default(1),
  agentId: AgentId.optional().meta({ description: "Whose task it is. Default: whoever claims it" }),
  dependsOn: Dependencies.default([]),
  dueAt: TimestampInput.optional(),
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
  dependsOn: Dependencies.optional().meta({ description: "Replaces the whole; while it is `pending` or `blocked`" }),
  dueAt: TimestampInput.nullable().optional(),
  result: Result.optional(),
  tags: Tags.optional(),
  metadata: Metadata.optional().meta({ description: "Replaces the whole" }),
}).refine((body) => Object.keys(body).some((name) => name !== "reason"), { message: "must change something" })
  .refine((body) => body.reason === undefined || body.status !== undefined, {
    message: "needs a status",
    path: ["reason"],
  })
  .meta({ id: "UpdateTaskBody" });
export type UpdateTaskBody = z.infer<typeof UpdateTaskBody>;

export const DelegateTaskBody = z.strictObject({
  agentId: AgentId.meta({ description: "Who gets the task" }),
  reason: Reason.optional(),
}).meta({ id: "DelegateTaskBody" });
export type DelegateTaskBody = z.infer<typeof DelegateTaskBody>;

export const ClaimTaskBody = z.strictObject({
  agentId: AgentId.meta({ description: "Who claims the task" }),
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
