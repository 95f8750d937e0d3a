/** `/v1/memory/changes` */
import * as changes from "../../../operations/changes.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "memory/changes",
  description: "The change feed: what changed, in order, by cursor",
};

export const listChanges = route("get", "/memory/changes", changes.listChanges);
