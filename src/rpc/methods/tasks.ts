/** CreateTask, UpdateTask and RecordEvent. */
import { SvcService } from "../../gen/svc/v1/svc_pb.ts";
import * as events from "../../operations/events.ts";
import * as tasks from "../../operations/tasks.ts";
import { unary } from "../unary.ts";

export const createTask = unary(SvcService.method.createTask, tasks.createTask);

export const updateTask = unary(SvcService.method.updateTask, tasks.updateTask);

export const recordEvent = unary(SvcService.method.recordEvent, events.recordEvent);
