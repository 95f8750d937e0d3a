/** Timelines: what happened and what was known, in order of time, and how much of it when. */
import { z } from "zod";
import {
  AgentId,
  EndInput,
  Id,
  isSpan,
  JsonValue,
  ListQuery,
  NO_SPAN,
  pageOf,
  repeated,
  Sensitivity,
  Tag,
  textOf,
  Timestamp,
  TimestampInput,
  wholeNumber,
} from "./common.ts";
import { UNIT_TYPES } from "./unit.ts";

export const TIMELINE_TYPES = [...UNIT_TYPES, "event", "turn", "task"] as const;
export const TimelineType = z.enum(TIMELINE_TYPES).meta({ id: "TimelineType" });
export type TimelineType = z.infer<typeof TimelineType>;

/** Spans that one reply counts. */
export const BUCKETS_MAX = 1_000;

/** A time, or the id of what happened then. */
const Moment = z.union([TimestampInput, Id]);

/** Which part of a timeline; each member that is given narrows it. */
export const windowShape = {
  from: TimestampInput.optional().meta({ description: "At this time or later" }),
  to: EndInput.optional().meta({ description: "Before this time" }),
  after: Moment.optional().meta({ description: "Strictly after this time, or after the item with this id" }),
  before: Moment.optional().meta({ description: "Strictly before this time, or before the item with this id" }),
};
export interface TimeWindow {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

/** Spans of what to count. */
export const countShape = {
  bucket: z.enum(["hour", "day", "week", "month"]).default("day").meta({ description: "Weeks begin on Monday" }),
  timeZone: z.string().min(1).max(64).default("UTC").meta({
    description: "Time zone of hours and days: an IANA name or an offset",
    examples: ["Europe/Rome", "+02:00"],
  }),
};

const filterShape = {
  types: repeated(TimelineType, TIMELINE_TYPES.length).optional().meta({ description: "May be repeated" }),
  q: textOf(256).optional().meta({ description: "The text contains this; case does not matter" }),
  entityId: Id.optional().meta({ description: "Units and turns that mention this entity" }),
  agentId: AgentId.optional().meta({ description: "Events, tasks and turns of this agent" }),
  sessionId: Id.optional().meta({ description: "Events, turns and episodes of this session" }),
  tags: repeated(Tag, 50).optional().meta({
    description: "May be repeated; one of them is enough",
  }),
  minTrust: wholeNumber(0, 100).optional().meta({
    description: "Least trust score of units; items that are not units are left out",
  }),
};
const TYPES_V2 = repeated(z.enum(["episode", "event"]), 2).default(["episode", "event"]).meta({
  description: "May be repeated",
});

export const TimelineItem = z.strictObject({
  type: TimelineType,
  id: Id,
  at: Timestamp.meta({
    description:
      "When it occurred. For a unit without such a time: when it became valid or known. For a task: when it was created",
  }),
  text: z.string().meta({ description: "The text, at most 1,000 characters; for an event its type" }),
  status: z.string().nullable().meta({ description: "Null for events and turns, which have no status" }),
  trustScore: z.int().min(0).max(100).nullable().meta({ description: "Null for items that are not units" }),
  sensitivity: Sensitivity,
  stale: z.boolean(),
  tags: z.array(z.string()),
  entityIds: z.array(Id),
  sessionId: Id.nullable(),
  agentId: z.string().nullable(),
  messageId: z.string().nullable().meta({ description: "For turns" }),
  data: z.record(z.string(), JsonValue).nullable().meta({ description: "For events" }),
}).meta({ id: "TimelineItem" });
export type TimelineItem = z.infer<typeof TimelineItem>;
export const TimelinePage = pageOf(TimelineItem).meta({ id: "TimelinePage" });

const timelineShape = { ...windowShape, ...filterShape };
export const TimelineQuery = ListQuery.extend(timelineShape).refine(isSpan, NO_SPAN);
export type TimelineQuery = z.infer<typeof TimelineQuery>;
export const TimelineV2Query = ListQuery.extend({ ...timelineShape, types: TYPES_V2 }).refine(isSpan, NO_SPAN);

export const TimelineCountsQuery = z.strictObject({
  ...countShape,
  from: windowShape.from.meta({ description: "Default: 30 spans before `to`" }),
  to: windowShape.to.meta({ description: "Default: now" }),
  ...filterShape,
});
export type TimelineCountsQuery = z.infer<typeof TimelineCountsQuery>;
export const TimelineCountsV2Query = TimelineCountsQuery.extend({ types: TYPES_V2 });

export const TimelineCounts = z.strictObject({
  bucket: countShape.bucket,
  timeZone: z.string(),
  from: Timestamp.nullable().meta({ description: "Null if there is nothing to count" }),
  to: Timestamp.nullable(),
  total: z.int().min(0),
  data: z.array(
    z.strictObject({
      start: Timestamp,
      end: Timestamp.meta({ description: "Where the next span starts" }),
      total: z.int().min(0),
      counts: z.record(z.string(), z.int().min(0)).meta({
        description: "Counts by type; types without items are left out",
      }),
    }).meta({ id: "TimelineBucket" }),
  ).meta({ description: "Every span from `from` to `to`, including empty ones" }),
}).meta({ id: "TimelineCounts", description: "How much there is in each span of time" });
export type TimelineCounts = z.infer<typeof TimelineCounts>;
