/** `/v1/memory/units` and `/v1/memory/forget` */
import * as units from "../../../operations/units.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "Units of any type",
  section: "Knowledge",
  description: "List units of all types, read units of any type by their ids, and forget those that a filter selects.",
};

export const getUnits = route("get", "/memory/units", units.getUnits);
export const forgetUnits = route("post", "/memory/forget", units.forgetUnits);
export const getUnit = route("get", "/memory/units/{id}", units.getUnit);
