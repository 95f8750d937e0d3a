/** `/v1/memory/changes` */
import * as changes from "../../../operations/changes.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "Change feed",
  section: "Overviews and feeds",
  description: "Every change of the workspace, in order, by cursor.",
};

export const listChanges = route("get", "/memory/changes", changes.listChanges);
