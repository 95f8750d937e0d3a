/** `/v1/self` */
import * as self from "../../operations/self.ts";
import { type Group, route } from "../route.ts";

export const GROUP: Group = {
  name: "Own memory",
  section: "Agents",
  description: "An agent and its own memory: edits that can be reverted, reflection, its profile.",
};

export const editSelf = route("post", "/self/edit", self.editSelf);
export const listSelfEdits = route("get", "/self/edits", self.listSelfEdits);
export const getSelfEdit = route("get", "/self/edits/{id}", self.getSelfEdit);
export const revertSelfEdit = route("post", "/self/edits/{id}/revert", self.revertSelfEdit);
export const getSelfProfile = route("get", "/self/profile", self.getSelfProfile);
export const reflectSelf = route("post", "/self/reflect", self.reflectSelf);
