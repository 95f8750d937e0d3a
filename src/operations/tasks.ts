/** Tasks of agents. */
import { forgetTask as forgetTaskRecord } from "../domain/tasks/erase.ts";
import * as tasks from "../domain/tasks/tasks.ts";
import {
  ClaimTaskBody,
  CreateTaskBody,
  DelegateTaskBody,
  ListTasksQuery,
  Task,
  TaskPage,
  TaskParams,
  UpdateTaskBody,
} from "../schema/task.ts";
import { ForgetRecordBody, ForgetRecordReply } from "../schema/unit.ts";
import { operation } from "./operation.ts";

/** Creates a task. */
export const createTask = operation({
  id: "createTask",
  summary: "Create a task",
  scope: "tasks:write",
  body: CreateTaskBody,
  status: 201,
  reply: Task,
  versioned: true,
  example: {
    body: {
      title: "Compare the three quotes",
      agentId: "assistant-1",
      priority: 2,
      dueAt: "2026-03-06T17:00:00Z",
      tags: ["purchasing"],
    },
  },
}, (ctx, { body }) => tasks.createTask(ctx, body));

/** Lists tasks, the newest first. */
export const listTasks = operation({
  id: "listTasks",
  summary: "List tasks",
  description:
    "A task whose lease has expired counts as `pending`; if the claim had assigned it to an agent, it counts as unassigned.",
  scope: "tasks:read",
  query: ListTasksQuery,
  reply: TaskPage,
}, (ctx, { query }) => tasks.listTasks(ctx, query));

/** Reads a task. */
export const getTask = operation({
  id: "getTask",
  summary: "Read a task",
  scope: "tasks:read",
  params: TaskParams,
  reply: Task,
  versioned: true,
}, (ctx, { params }) => tasks.getTask(ctx, params.id));

/** Changes a task or its state. */
export const updateTask = operation({
  id: "updateTask",
  summary: "Change a task or its state",
  description:
    "States: `pending` → `in_progress` → `completed`, `failed` or `cancelled`; `in_progress` ⇄ `blocked`; also `pending` → `cancelled` and `blocked` → `failed` or `cancelled`. Any other change is refused with `invalid_transition`, whose member `legal` lists the possible states. A task can start, or continue after `blocked`, only when all tasks in `dependsOn` are `completed`; `waitingFor` lists those that are not. A finished task does not change. Going to `blocked` ends the lease. If other agents may have claimed the task in the meantime, send the version of your claim as `If-Match`.",
  scope: "tasks:write",
  params: TaskParams,
  body: UpdateTaskBody,
  reply: Task,
  versioned: true,
  errors: ["invalid_transition"],
  example: { body: { status: "in_progress", priority: 3 } },
}, (ctx, { params, body, expectedVersion }) => tasks.updateTask(ctx, params.id, body, expectedVersion));

/** Hands a task to another agent. */
export const delegateTask = operation({
  id: "delegateTask",
  summary: "Delegate a task to another agent",
  description:
    "`delegations` records it. The state stays the same and a lease ends: the other agent has to claim the task.",
  scope: "tasks:write",
  params: TaskParams,
  body: DelegateTaskBody,
  reply: Task,
  versioned: true,
  errors: ["invalid_transition", "conflict", "version_mismatch"],
  example: { body: { agentId: "assistant-2", reason: "knows the suppliers" } },
}, (ctx, { params, body, expectedVersion }) => tasks.delegateTask(ctx, params.id, body, expectedVersion));

/** Claims a task with a lease. */
export const claimTask = operation({
  id: "claimTask",
  summary: "Claim a task with a lease",
  description:
    "The task is `in_progress` for the agent until `leaseExpiresAt`; then it is `pending` again, assigned as before. The agent that holds a task renews its lease, or resumes it after `blocked`, with the same request. A task of another agent is refused with `conflict`.",
  scope: "tasks:write",
  params: TaskParams,
  body: ClaimTaskBody,
  reply: Task,
  versioned: true,
  errors: ["invalid_transition", "conflict", "version_mismatch"],
  example: { body: { agentId: "assistant-1", ttlSeconds: 600 } },
}, (ctx, { params, body, expectedVersion }) => tasks.claimTask(ctx, params.id, body, expectedVersion));

/** Erases a task. */
export const forgetTask = operation({
  id: "forgetTask",
  summary: "Erase a task",
  description:
    "Erases the task and its history for ever. Its id then answers 410 `erased` and cannot be used again. Tasks that depend on it no longer wait for it. To give a task up, cancel it instead.",
  scope: "memory:delete",
  params: TaskParams,
  body: ForgetRecordBody,
  reply: ForgetRecordReply,
  errors: ["erased", "version_mismatch"],
  example: { body: { mode: "erase", reason: "Asked for by the customer" } },
}, (ctx, { params, body, expectedVersion }) => forgetTaskRecord(ctx, params.id, body, expectedVersion));
