/** `/v1/memory/units` */
import * as units from "../../../operations/units.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "memory/units",
  description: "Units of any type by id, as a list of links names them",
};

export const getUnits = route("get", "/memory/units", units.getUnits);
export const getUnit = route("get", "/memory/units/{id}", units.getUnit);
