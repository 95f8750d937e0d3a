/** Events: what happened, typed and append-only. */
import { z } from "zod";
import {
  AgentId,
  EndInput,
  Id,
  isSpan,
  JsonValue,
  ListQuery,
  Metadata,
  NO_SPAN,
  pageOf,
  repeated,
  Sensitivity,
  Timestamp,
  TimestampInput,
} from "./common.ts";

export const EVENT_BATCH_MAX = 500;

const EventType = z.string().min(1).max(200).meta({
  description: "The type of event, in the caller's own words",
  examples: ["tool.called", "deploy.finished"],
});

export const Event = z.strictObject({
  id: Id,
  type: z.string(),
  agentId: z.string().nullable(),
  sessionId: Id.nullable(),
  data: z.record(z.string(), JsonValue),
  sensitivity: Sensitivity,
  occurredAt: Timestamp,
  recordedAt: Timestamp,
  createdBy: z.string(),
}).meta({ id: "Event", description: "An event of an agent" });
export type Event = z.infer<typeof Event>;
export const EventPage = pageOf(Event).meta({ id: "EventPage" });

export const EventParams = z.strictObject({ id: Id });

export const RecordEventBody = z.strictObject({
  type: EventType,
  agentId: AgentId.optional().meta({ description: "The agent that the event belongs to" }),
  sessionId: Id.optional().meta({
    description: "The session in which it happened. The service does not check that it exists",
  }),
  data: Metadata.default({}).meta({ description: "Free members, at most 16 KiB as JSON" }),
  sensitivity: Sensitivity.default("internal").meta({ description: "At most the key's clearance" }),
  occurredAt: TimestampInput.optional().meta({ description: "Default: now" }),
}).meta({ id: "RecordEventBody" });
export type RecordEventBody = z.infer<typeof RecordEventBody>;

export const RecordEventBatchBody = z.strictObject({
  events: z.array(RecordEventBody).min(1).max(EVENT_BATCH_MAX),
}).meta({ id: "RecordEventBatchBody" });
export type RecordEventBatchBody = z.infer<typeof RecordEventBatchBody>;

export const EventBatchReply = z.strictObject({
  recorded: z.int().min(1),
  data: z.array(Event).meta({ description: "In the order of the request" }),
}).meta({ id: "EventBatchReply", description: "The outcome of each event, in the order of the request" });
export type EventBatchReply = z.infer<typeof EventBatchReply>;

export const EVENT_TYPES_MAX = 20;

export const ListEventsQuery = ListQuery.extend({
  from: TimestampInput.optional().meta({ description: "Events that occurred then or later" }),
  to: EndInput.optional().meta({ description: "Events that occurred before then" }),
  agentId: AgentId.optional(),
  type: repeated(EventType, EVENT_TYPES_MAX).optional().meta({ description: "May be repeated" }),
  sessionId: Id.optional(),
}).refine(isSpan, NO_SPAN);
export type ListEventsQuery = z.infer<typeof ListEventsQuery>;
