/** The timeline: what happened, in order of time. */
import { countTimeline as count, listTimeline as list } from "../domain/timeline/list.ts";
import {
  TimelineCounts,
  TimelineCountsQuery,
  TimelineCountsV2Query,
  TimelinePage,
  TimelineQuery,
  TimelineV2Query,
} from "../schema/timeline.ts";
import { operation } from "./operation.ts";

const LIST = {
  description:
    "Latest first by default. `order=asc&limit=1` gives the first item, `order=desc&limit=1` the last. `after` and `before` take a time or the id of an item; both together give what lies between. Archived and retracted units and merged entities are left out; superseded ones are included. A key without `tasks:read` is shown no tasks and events.",
  scope: "memory:read",
  reply: TimelinePage,
} as const;

const COUNT = {
  description:
    "Counts items of each type per hour, day, week or month of a time zone, whose days may have 23 or 25 hours. At most 1,000 spans. For a key without `tasks:read`, tasks and events do not count.",
  scope: "memory:read",
  reply: TimelineCounts,
} as const;

/** Lists moments. */
export const listTimeline = operation(
  {
    id: "listTimeline",
    summary: "List units, events, turns and tasks in order of time",
    ...LIST,
    query: TimelineQuery,
  },
  (ctx, { query }) => list(ctx, query),
);

/** Counts moments. */
export const countTimeline = operation(
  {
    id: "countTimeline",
    summary: "Count units, events, turns and tasks over time",
    ...COUNT,
    query: TimelineCountsQuery,
  },
  (ctx, { query }) => count(ctx, query),
);

/** Lists the episodes and events of version 2's timeline. */
export const listTimelineV2 = operation(
  { id: "listTimelineV2", summary: "List episodes and events in order of time", ...LIST, query: TimelineV2Query },
  (ctx, { query }) => list(ctx, query),
);

/** Counts the episodes and events of version 2's timeline. */
export const countTimelineV2 = operation(
  { id: "countTimelineV2", summary: "Count episodes and events over time", ...COUNT, query: TimelineCountsV2Query },
  (ctx, { query }) => count(ctx, query),
);
