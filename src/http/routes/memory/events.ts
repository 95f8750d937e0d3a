/** Events: append-only. Interface §4.6, decisions §6 "tasks, events". */
import { forgetEvent as forgetEventRecord } from "../../../domain/tasks/erase.ts";
import * as events from "../../../domain/tasks/events.ts";
import {
  Event,
  EventBatchReply,
  EventPage,
  EventParams,
  ListEventsQuery,
  RecordEventBatchBody,
  RecordEventBody,
} from "../../../schema/event.ts";
import { ForgetRecordBody, ForgetRecordReply } from "../../../schema/unit.ts";
import { BATCH_BYTES_MAX, endpoint } from "../../endpoint.ts";

const EXAMPLE_EVENT = {
  type: "tool.called",
  agentId: "assistant-1",
  data: { tool: "search", durationMs: 120 },
  occurredAt: "2026-03-01T09:30:00Z",
};

/** Records an event. */
export const recordEvent = endpoint({
  method: "post",
  path: "/memory/events",
  operationId: "recordEvent",
  summary: "Record an event",
  description: "An event is never changed. It can be erased.",
  scope: "tasks:write",
  body: RecordEventBody,
  status: 201,
  response: Event,
  example: { body: EXAMPLE_EVENT },
}, (ctx, { body }) => events.recordEvent(ctx, body));

/** Records up to 500 events. */
export const recordEvents = endpoint({
  method: "post",
  path: "/memory/events/batch",
  operationId: "recordEvents",
  summary: "Record a batch of events",
  description: "Up to 500 events, all or none.",
  scope: "tasks:write",
  body: RecordEventBatchBody,
  bodyBytesMax: BATCH_BYTES_MAX,
  status: 201,
  response: EventBatchReply,
  example: { body: { events: [EXAMPLE_EVENT, { type: "tool.failed", data: { tool: "search" } }] } },
}, (ctx, { body }) => events.recordEvents(ctx, body.events));

/** Lists events by time. */
export const listEvents = endpoint({
  method: "get",
  path: "/memory/events",
  operationId: "listEvents",
  summary: "List events by time",
  description: "In the order in which they occurred, the latest first unless asked otherwise.",
  scope: "tasks:read",
  query: ListEventsQuery,
  response: EventPage,
}, (ctx, { query }) => events.listEvents(ctx, query));

/** Erases an event. */
export const forgetEvent = endpoint({
  method: "post",
  path: "/memory/events/{id}/forget",
  operationId: "forgetEvent",
  summary: "Erase an event",
  description: "For ever: the id is then 410 `erased` and cannot come back.",
  scope: "memory:delete",
  params: EventParams,
  body: ForgetRecordBody,
  response: ForgetRecordReply,
  errors: ["erased"],
  example: { body: { mode: "erase", reason: "Asked for by the customer" } },
}, (ctx, { params, body }) => forgetEventRecord(ctx, params.id, body));
