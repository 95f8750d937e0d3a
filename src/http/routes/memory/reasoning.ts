/** `/v1/memory/reasoning` */
import * as reasoning from "../../../operations/reasoning.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "Reasoning",
  section: "Agents",
  description: "Record a chain of reasoning, and get it back as long as everything it rests on holds.",
};

export const resolveReasoning = route("post", "/memory/reasoning/resolve", reasoning.resolveReasoning);
export const recordReasoning = route("post", "/memory/reasoning/record", reasoning.recordReasoning);
export const giveReasoningFeedback = route("post", "/memory/reasoning/feedback", reasoning.giveReasoningFeedback);
export const listReasoning = route("get", "/memory/reasoning", reasoning.listReasoning);
export const getReasoning = route("get", "/memory/reasoning/{id}", reasoning.getReasoning);
export const deleteReasoning = route("delete", "/memory/reasoning/{id}", reasoning.deleteReasoning);
