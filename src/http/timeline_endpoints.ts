/** The global timeline in two faces, `/v1/timeline` and `/v1/memory/timeline`: one description of both. */
import type { z } from "@hono/zod-openapi";
import { countTimeline, listTimeline } from "../domain/timeline/list.ts";
import { TimelineCounts, type TimelineCountsQuery, TimelinePage, type TimelineQuery } from "../schema/timeline.ts";
import { endpoint } from "./endpoint.ts";

export interface TimelineFace {
  readonly path: "/timeline" | "/memory/timeline";
  /** Sets operation ids apart. */
  readonly suffix: "" | "V2";
  readonly what: string;
  readonly query: z.ZodObject;
  readonly countsQuery: z.ZodObject;
}

/** `GET path` */
export function listTimelineEndpoint({ path, suffix, what, query }: TimelineFace) {
  return endpoint({
    method: "get",
    path,
    operationId: `listTimeline${suffix}`,
    summary: `${what} in order of time`,
    description:
      "The latest first unless asked otherwise. `order=asc&limit=1` is the first, `order=desc&limit=1` the " +
      "last; `after` and `before` take a time or the id of what happened then, and both together say what lies " +
      "between. Archived and retracted units and merged entities are left out; what was superseded is part of the " +
      "story.",
    scope: "memory:read",
    query,
    response: TimelinePage,
  }, (ctx, { query }) => listTimeline(ctx, query as unknown as TimelineQuery));
}

/** `GET path/counts` */
export function countTimelineEndpoint({ path, suffix, what, countsQuery }: TimelineFace) {
  return endpoint({
    method: "get",
    path: `${path}/counts`,
    operationId: `countTimeline${suffix}`,
    summary: `${what} counted over time`,
    description:
      "How many of each type in each hour, day, week or month of a time zone, whose days may have 23 or 25 " +
      "hours. At most 1,000 spans.",
    scope: "memory:read",
    query: countsQuery,
    response: TimelineCounts,
  }, (ctx, { query }) => countTimeline(ctx, query as unknown as TimelineCountsQuery));
}
