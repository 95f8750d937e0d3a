/** `/v1/memory/timeline` */
import * as timeline from "../../../operations/timeline.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "Timeline",
  section: "Overviews and feeds",
  description: "Units, events, turns and tasks in order of time, and counted over time.",
};

export const listTimeline = route("get", "/memory/timeline", timeline.listTimeline);
export const countTimeline = route("get", "/memory/timeline/counts", timeline.countTimeline);
