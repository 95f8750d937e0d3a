/** Tasks of agents. Interface §4.6, decisions §4 "Task" and §6 "tasks, events". */
import { forgetTask as forgetTaskRecord } from "../../../domain/tasks/erase.ts";
import * as tasks from "../../../domain/tasks/tasks.ts";
import {
  ClaimTaskBody,
  CreateTaskBody,
  DelegateTaskBody,
  ListTasksQuery,
  Task,
  TaskPage,
  TaskParams,
  UpdateTaskBody,
} from "../../../schema/task.ts";
import { ForgetRecordBody, ForgetRecordReply } from "../../../schema/unit.ts";
import { endpoint } from "../../endpoint.ts";

/** Creates a task. */
export const createTask = endpoint({
  method: "post",
  path: "/memory/tasks",
  operationId: "createTask",
  summary: "Create a task",
  scope: "tasks:write",
  body: CreateTaskBody,
  status: 201,
  response: Task,
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
export const listTasks = endpoint({
  method: "get",
  path: "/memory/tasks",
  operationId: "listTasks",
  summary: "List tasks",
  description:
    "A task whose lease has run out counts as `pending`, and as nobody's where the claim made it somebody's.",
  scope: "tasks:read",
  query: ListTasksQuery,
  response: TaskPage,
}, (ctx, { query }) => tasks.listTasks(ctx, query));

/** Reads a task. */
export const getTask = endpoint({
  method: "get",
  path: "/memory/tasks/{id}",
  operationId: "getTask",
  summary: "Read a task",
  scope: "tasks:read",
  params: TaskParams,
  response: Task,
  versioned: true,
}, (ctx, { params }) => tasks.getTask(ctx, params.id));

/** Changes a task or its state. */
export const updateTask = endpoint({
  method: "patch",
  path: "/memory/tasks/{id}",
  operationId: "updateTask",
  summary: "Change a task or its state",
  description:
    "`pending` → `in_progress` → `completed`, `failed` or `cancelled`; `in_progress` ⇄ `blocked`. What waits may be " +
    "given up, too: `pending` → `cancelled`, `blocked` → `failed` or `cancelled`. Any other step is " +
    "refused with `invalid_transition`; its member `legal` lists the states that the task may go to. A task starts, or " +
    "goes on after it was blocked, only when all tasks in `dependsOn` are `completed`; `waitingFor` lists those that " +
    "are not. A finished task does not change. Going to `blocked` ends a lease: nobody has to keep alive what waits. " +
    "Send the version of your claim as `If-Match` where others may have claimed the task since.",
  scope: "tasks:write",
  params: TaskParams,
  body: UpdateTaskBody,
  response: Task,
  versioned: true,
  errors: ["invalid_transition"],
  example: { body: { status: "in_progress", priority: 3 } },
}, (ctx, { params, body, ifMatch }) => tasks.updateTask(ctx, params.id, body, ifMatch));

/** Hands a task to another agent. */
export const delegateTask = endpoint({
  method: "post",
  path: "/memory/tasks/{id}/delegate",
  operationId: "delegateTask",
  summary: "Hand a task to another agent",
  description: "`delegations` keeps the trail. The state stays, a lease ends: the other agent claims it for itself.",
  scope: "tasks:write",
  params: TaskParams,
  body: DelegateTaskBody,
  response: Task,
  versioned: true,
  errors: ["invalid_transition", "conflict", "version_mismatch"],
  example: { body: { agentId: "assistant-2", reason: "knows the suppliers" } },
}, (ctx, { params, body, ifMatch }) => tasks.delegateTask(ctx, params.id, body, ifMatch));

/** Claims a task with a lease. */
export const claimTask = endpoint({
  method: "post",
  path: "/memory/tasks/{id}/claim",
  operationId: "claimTask",
  summary: "Claim a task with a lease",
  description:
    "The task is `in_progress` for the agent until `leaseExpiresAt`; then it is `pending` again, for whom it waited " +
    "before. The agent that has a task renews its lease, and resumes what was blocked, in the same way. A task of " +
    "another agent is refused with `conflict`.",
  scope: "tasks:write",
  params: TaskParams,
  body: ClaimTaskBody,
  response: Task,
  versioned: true,
  errors: ["invalid_transition", "conflict", "version_mismatch"],
  example: { body: { agentId: "assistant-1", ttlSeconds: 600 } },
}, (ctx, { params, body, ifMatch }) => tasks.claimTask(ctx, params.id, body, ifMatch));

/** Erases a task. */
export const forgetTask = endpoint({
  method: "post",
  path: "/memory/tasks/{id}/forget",
  operationId: "forgetTask",
  summary: "Erase a task",
  description:
    "For ever, with its history: the id is then 410 `erased` and cannot come back. Tasks that depend on it wait " +
    "for it no longer. A task that is not to be done is cancelled instead.",
  scope: "memory:delete",
  params: TaskParams,
  body: ForgetRecordBody,
  response: ForgetRecordReply,
  errors: ["erased", "version_mismatch"],
  example: { body: { mode: "erase", reason: "Asked for by the customer" } },
}, (ctx, { params, body, ifMatch }) => forgetTaskRecord(ctx, params.id, body, ifMatch));
