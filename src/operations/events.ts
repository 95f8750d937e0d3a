/** Events: append-only. */
import { forgetEvent as forgetEventRecord } from "../domain/tasks/erase.ts";
import * as events from "../domain/tasks/events.ts";
import {
  Event,
  EventBatchReply,
  EventPage,
  EventParams,
  ListEventsQuery,
  RecordEventBatchBody,
  RecordEventBody,
} from "../schema/event.ts";
import { ForgetRecordBody, ForgetRecordReply } from "../schema/unit.ts";
import { ONE } from "./cost.ts";
import { BATCH_BYTES_MAX, operation } from "./operation.ts";

const EXAMPLE_EVENT = {
  type: "tool.called",
  agentId: "assistant-1",
  data: { tool: "search", durationMs: 120 },
  occurredAt: "2026-03-01T09:30:00Z",
};

export const recordEvent = operation({
  id: "recordEvent",
  summary: "Record an event",
  description: "An event never changes. It can only be erased.",
  scope: "tasks:write",
  body: RecordEventBody,
  status: 201,
  reply: Event,
  example: { body: EXAMPLE_EVENT },
}, (ctx, { body }) => events.recordEvent(ctx, body));

/** Records up to 500 events. */
export const recordEvents = operation({
  id: "recordEvents",
  summary: "Record a batch of events",
  description: "Up to 500 events, all or none.",
  scope: "tasks:write",
  cost: { ...ONE, bySize: { of: "event", each: 100 } },
  body: RecordEventBatchBody,
  bodyBytesMax: BATCH_BYTES_MAX,
  status: 201,
  reply: EventBatchReply,
  example: { body: { events: [EXAMPLE_EVENT, { type: "tool.failed", data: { tool: "search" } }] } },
}, (ctx, { body }) => events.recordEvents(ctx, body.events));

/** Lists events by time. */
export const listEvents = operation({
  id: "listEvents",
  summary: "List events by time",
  description: "In the order in which they occurred, latest first by default.",
  scope: "tasks:read",
  query: ListEventsQuery,
  reply: EventPage,
}, (ctx, { query }) => events.listEvents(ctx, query));

/** Reads an event. */
export const getEvent = operation({
  id: "getEvent",
  summary: "Read an event",
  scope: "tasks:read",
  params: EventParams,
  reply: Event,
}, (ctx, { params }) => events.getEvent(ctx, params.id));

/** Erases an event. */
export const forgetEvent = operation({
  id: "forgetEvent",
  summary: "Erase an event",
  description: "Erases the event for ever. Its id then answers 410 `erased` and cannot be used again.",
  scope: "memory:delete",
  params: EventParams,
  body: ForgetRecordBody,
  reply: ForgetRecordReply,
  errors: ["erased"],
  example: { body: { mode: "erase", reason: "Asked for by the customer" } },
}, (ctx, { params, body }) => forgetEventRecord(ctx, params.id, body));
