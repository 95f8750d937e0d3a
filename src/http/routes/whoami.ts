/** `/v1/whoami` */
import * as access from "../../operations/whoami.ts";
import { type Group, route } from "../route.ts";

export const GROUP: Group = {
  name: "Caller",
  section: "Start here",
  place: 4,
  description: "Which key is asking, which workspace it opens, and what it may do there.",
};

export const whoami = route("get", "/whoami", access.whoami);
