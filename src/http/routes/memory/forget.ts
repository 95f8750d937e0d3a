/** `/v1/memory/forget` */
import * as units from "../../../operations/units.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "Forgetting",
  section: "Knowledge",
  description: "Forget the units that a filter selects.",
};

export const forgetUnits = route("post", "/memory/forget", units.forgetUnits);
