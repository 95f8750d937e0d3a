/** `/v1/timeline` */
import * as timeline from "../../operations/timeline.ts";
import { type Group, route } from "../route.ts";

export const GROUP: Group = {
  name: "timeline",
  description: "Episodes and events (v2) in order of time, counted over time",
};

export const listTimelineV2 = route("get", "/timeline", timeline.listTimelineV2);
export const countTimelineV2 = route("get", "/timeline/counts", timeline.countTimelineV2);
