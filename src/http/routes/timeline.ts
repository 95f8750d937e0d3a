/** The timeline of episodes and events, version 2. Interface §2.1, decisions §6 "graph, timeline". */
import { TimelineCountsV2Query, TimelineV2Query } from "../../schema/timeline.ts";
import { countTimelineEndpoint, listTimelineEndpoint, type TimelineFace } from "../timeline_endpoints.ts";

const face: TimelineFace = {
  path: "/timeline",
  suffix: "V2",
  what: "Episodes and events",
  query: TimelineV2Query,
  countsQuery: TimelineCountsV2Query,
};

export const listTimelineV2 = listTimelineEndpoint(face);
export const countTimelineV2 = countTimelineEndpoint(face);
