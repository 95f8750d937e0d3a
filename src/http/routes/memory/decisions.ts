/** `/v1/memory/decisions` */
import * as decisions from "../../../operations/decisions.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "Decisions",
  section: "Knowledge",
  description: "A choice with its rationale, and the decisions that replaced it.",
};

export const createDecision = route("post", "/memory/decisions", decisions.createDecision);
export const listDecisions = route("get", "/memory/decisions", decisions.listDecisions);
export const getDecision = route("get", "/memory/decisions/{id}", decisions.getDecision);
export const updateDecision = route("patch", "/memory/decisions/{id}", decisions.updateDecision);
export const supersedeDecision = route("post", "/memory/decisions/{id}/supersede", decisions.supersedeDecision);
export const getDecisionChain = route("get", "/memory/decisions/{id}/chain", decisions.getDecisionChain);
export const createDecisions = route("post", "/memory/decisions/batch", decisions.createDecisions);
export const archiveDecision = route("delete", "/memory/decisions/{id}", decisions.archiveDecision);
export const forgetDecision = route("post", "/memory/decisions/{id}/forget", decisions.forgetDecision);
export const restoreDecision = route("post", "/memory/decisions/{id}/restore", decisions.restoreDecision);
export const listDecisionRevisions = route("get", "/memory/decisions/{id}/revisions", decisions.listDecisionRevisions);
