/** `/v1/timeline` */
import * as timeline from "../../operations/timeline.ts";
import { route } from "../route.ts";

export { GROUP } from "./memory/timeline.ts";

export const listTimelineV2 = route("get", "/timeline", timeline.listTimelineV2);
export const countTimelineV2 = route("get", "/timeline/counts", timeline.countTimelineV2);
