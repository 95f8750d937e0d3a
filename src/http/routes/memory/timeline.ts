/** The global timeline, version 3. Interface §4.5, decisions §6 "graph, timeline". */
import { TimelineCountsQuery, TimelineQuery } from "../../../schema/timeline.ts";
import { countTimelineEndpoint, listTimelineEndpoint, type TimelineFace } from "../../timeline_endpoints.ts";

const face: TimelineFace = {
  path: "/memory/timeline",
  suffix: "",
  what: "Units, events, turns and tasks",
  query: TimelineQuery,
  countsQuery: TimelineCountsQuery,
};

export const listTimeline = listTimelineEndpoint(face);
export const countTimeline = countTimelineEndpoint(face);
