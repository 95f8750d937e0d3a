/** The tools `tasks` and `task`. */
import { z } from "zod";
import { claimTask, createTask, delegateTask, listTasks, updateTask } from "../../operations/tasks.ts";
import { invalidInput } from "../../schema/field_errors.ts";
import { AgentId } from "../../schema/common.ts";
import {
  CreateTaskBody,
  LEASE_SECONDS_MAX,
  ListTasksQuery,
  RESULT_BYTES_MAX,
  type Task,
  TaskStatus,
} from "../../schema/task.ts";
import { BUDGET_TOKENS, countFitting, lineOf } from "../text.ts";
import { ADDS, READS, tool, type ToolCall } from "../tool.ts";
import { intLike, listLike, Reason, textLike, When } from "../schemas.ts";

const TaskId = z.string().describe("Id of a task");
const Shown = z.strictObject({
  id: z.string(),
  title: z.string(),
  status: z.string(),
  priority: z.number(),
  agentId: z.string().nullable(),
  dueAt: z.string().nullable(),
});

function show({ id, title, status, priority, agentId, dueAt }: Task) {
  return { id, title, status, priority, agentId, dueAt };
}

function lineOfTask({ id, title, status, priority, agentId, dueAt }: z.infer<typeof Shown>): string {
  const told = [status, `priority ${priority}`, agentId === null ? "nobody's" : `of ${agentId}`];
  return lineOf(title, { type: "task", id, status: told.join(", "), at: dueAt });
}

export const tasks = tool("tasks", listTasks, {
  title: "List tasks",
  description: "List tasks that agents share, the newest first. Use it to see what is open before you begin or plan.",
  input: z.strictObject({
    status: z.array(z.enum(TaskStatus.options)).max(TaskStatus.options.length).optional(),
    agent: textLike(AgentId).optional().describe("Only this agent's"),
    limit: intLike(ListTasksQuery.shape.limit).optional().describe("Default 20"),
  }),
  output: z.strictObject({ tasks: z.array(Shown), more: z.boolean() }),
  annotations: READS,
}, async (call, { status, agent, limit = 20 }) => {
  const { body: { data, nextCursor } } = await call.run(listTasks, {
    query: {
      ...(status !== undefined && { status }),
      ...(agent !== undefined && { agentId: agent }),
      limit: String(limit),
    },
  });
  const shown = data.map(show);
  const lines = shown.map(lineOfTask);
  const fitting = countFitting(lines, BUDGET_TOKENS);
  const more = nextCursor !== null || fitting < shown.length;
  return {
    lines: lines.length === 0
      ? ["There is no such task."]
      : [...lines.slice(0, fitting), ...(more ? ["There is more."] : [])],
    data: { tasks: shown.slice(0, fitting), more },
  };
});

const input = z.strictObject({
  action: z.enum(["create", "claim", "update", "delegate"]),
  id: TaskId.optional().describe("Of all but create"),
  agent: textLike(AgentId).optional().describe("Who claims it, or gets it"),
  title: textLike(CreateTaskBody.shape.title).optional(),
  description: textLike(CreateTaskBody.shape.description).optional(),
  priority: intLike(CreateTaskBody.shape.priority).optional().describe("3 is the most urgent"),
  dueAt: When.optional(),
  dependsOn: listLike(CreateTaskBody.shape.dependsOn, TaskId).optional(),
  status: z.enum(TaskStatus.options).optional().describe("With update"),
  result: z.string().max(RESULT_BYTES_MAX).optional().describe("With update"),
  reason: Reason.optional(),
  minutes: z.int().min(1).max(LEASE_SECONDS_MAX / 60).optional().describe(
    "With claim: how long you hold it; default 5",
  ),
});
type Input = z.infer<typeof input>;

export const task = tool("task", createTask, {
  title: "Work on a task",
  description:
    "Create a task for later or for others; claim one before you work on it; update its state and result; delegate it to another agent.",
  input,
  output: z.strictObject({ task: Shown }),
  annotations: ADDS,
}, async (call, given) => {
  const shown = show(await ACTIONS[given.action](call, given));
  return { lines: [lineOfTask(shown)], data: { task: shown } };
});

const ACTIONS: Readonly<Record<Input["action"], (call: ToolCall, given: Input) => Promise<Task>>> = {
  async create(call, given) {
    const { agent: agentId, dueAt, title, description, priority, dependsOn } = only(given, [
      "agent",
      "dueAt",
      "title",
      "description",
      "priority",
      "dependsOn",
    ]);
    const body = { agentId, dueAt, title, description, priority, dependsOn };
    return (await call.run(createTask, { body })).body as Task;
  },
  async claim(call, given) {
    const { agent: agentId, minutes } = only(given, ["id", "agent", "minutes"]);
    const body = { agentId, ...(minutes !== undefined && { ttlSeconds: minutes * 60 }) };
    return (await call.run(claimTask, { params: idOf(given), body })).body as Task;
  },
  async update(call, given) {
    const { dueAt, title, description, priority, dependsOn, status, result, reason } = only(given, [
      "id",
      "dueAt",
      "title",
      "description",
      "priority",
      "dependsOn",
      "status",
      "result",
      "reason",
    ]);
    const body = { dueAt, title, description, priority, dependsOn, status, result, reason };
    return (await call.run(updateTask, { params: idOf(given), body })).body as Task;
  },
  async delegate(call, given) {
    const { agent: agentId, reason } = only(given, ["id", "agent", "reason"]);
    return (await call.run(delegateTask, { params: idOf(given), body: { agentId, reason } })).body as Task;
  },
};

function idOf({ id }: Input): { readonly id: string } {
  if (id === undefined) throw invalidInput({ path: "id", message: "is required" });
  return { id };
}

/** Refuses arguments that an action does not take, so that none is ignored. */
function only(given: Input, names: readonly (keyof Input)[]): Input {
  for (const name of Object.keys(given) as (keyof Input)[]) {
    if (name === "action" || given[name] === undefined || names.includes(name)) continue;
    throw invalidInput({ path: name, message: `is not for ${given.action}` });
  }
  return given;
}
