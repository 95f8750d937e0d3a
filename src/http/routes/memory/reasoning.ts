/** `/v1/memory/reasoning` */
import * as reasoning from "../../../operations/reasoning.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "memory/reasoning",
  description: "Reasoning distillation: chains that were recorded once and are served while they hold",
};

export const resolveReasoning = route("post", "/memory/reasoning/resolve", reasoning.resolveReasoning);
export const recordReasoning = route("post", "/memory/reasoning/record", reasoning.recordReasoning);
export const giveReasoningFeedback = route("post", "/memory/reasoning/feedback", reasoning.giveReasoningFeedback);
export const listReasoning = route("get", "/memory/reasoning", reasoning.listReasoning);
export const getReasoning = route("get", "/memory/reasoning/{id}", reasoning.getReasoning);
export const deleteReasoning = route("delete", "/memory/reasoning/{id}", reasoning.deleteReasoning);
