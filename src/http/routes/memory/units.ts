/** `/v1/memory/units` */
import * as units from "../../../operations/units.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "Units of any type",
  section: "Knowledge",
  description: "List units of all types, and read units of any type by their ids.",
};

export const getUnits = route("get", "/memory/units", units.getUnits);
export const getUnit = route("get", "/memory/units/{id}", units.getUnit);
