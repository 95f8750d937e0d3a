/** CreateTask, UpdateTask and RecordEvent. Interface §4.6, §4.12. */
import * as events from "../../domain/tasks/events.ts";
import * as tasks from "../../domain/tasks/tasks.ts";
import { SvcService } from "../../gen/svc/v1/svc_pb.ts";
import { Event, RecordEventBody } from "../../schema/event.ts";
import { CreateTaskBody, Task, UpdateTaskBody } from "../../schema/task.ts";
import { Target } from "../target.ts";
import { unary } from "../unary.ts";

/** Creates a task. */
export const createTask = unary({
  method: SvcService.method.createTask,
  operation: "createTask",
  scope: "tasks:write",
  body: CreateTaskBody,
  reply: Task,
  mutates: true,
}, (ctx, { body }) => tasks.createTask(ctx, body));

/** Changes a task or its state. */
export const updateTask = unary({
  method: SvcService.method.updateTask,
  operation: "updateTask",
  scope: "tasks:write",
  target: Target,
  body: UpdateTaskBody,
  reply: Task,
  mutates: true,
}, (ctx, { target, body }) => tasks.updateTask(ctx, target.id, body, target.expectedVersion));

/** Records an event. */
export const recordEvent = unary({
  method: SvcService.method.recordEvent,
  operation: "recordEvent",
  scope: "tasks:write",
  body: RecordEventBody,
  reply: Event,
  mutates: true,
}, (ctx, { body }) => events.recordEvent(ctx, body));
