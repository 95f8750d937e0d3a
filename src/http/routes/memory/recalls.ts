/** `/v1/memory/recalls` */
import * as diary from "../../../operations/recall_diary.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "Recall diary",
  section: "Administration",
  description: "What was asked of the memory and what it showed, in workspaces that keep it.",
};

export const listRecalls = route("get", "/memory/recalls", diary.listRecalls);
export const getRecall = route("get", "/memory/recalls/{id}", diary.getRecall);
