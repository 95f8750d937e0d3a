/** `/v1/decisions` */
import * as decisions from "../../operations/decisions.ts";
import { alias } from "../route.ts";

export { GROUP } from "./memory/decisions.ts";

export const createDecisionV2 = alias("post", "/decisions", decisions.createDecision);
export const listDecisionsV2 = alias("get", "/decisions", decisions.listDecisions);
export const getDecisionV2 = alias("get", "/decisions/{id}", decisions.getDecision);
export const updateDecisionV2 = alias("patch", "/decisions/{id}", decisions.updateDecision);
export const supersedeDecisionV2 = alias("post", "/decisions/{id}/supersede", decisions.supersedeDecision);
export const getDecisionChainV2 = alias("get", "/decisions/{id}/chain", decisions.getDecisionChain);
export const forgetDecisionV2 = alias("post", "/decisions/{id}/forget", decisions.forgetDecision);
export const restoreDecisionV2 = alias("post", "/decisions/{id}/restore", decisions.restoreDecision);
