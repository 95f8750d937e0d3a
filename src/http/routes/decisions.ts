/** Decisions, version 2: the same capability as `/v1/memory/decisions`. Interface §2.1, decisions §6 "decisions". */
import { chainEndpoint, decisionFace, supersedeEndpoint } from "../decision_endpoints.ts";
import {
  createEndpoint,
  forgetEndpoint,
  getEndpoint,
  listEndpoint,
  restoreEndpoint,
  updateEndpoint,
} from "../unit_endpoints.ts";

const face = decisionFace("/decisions", "V2");

export const createDecisionV2 = createEndpoint(face);
export const listDecisionsV2 = listEndpoint(face);
export const getDecisionV2 = getEndpoint(face);
export const updateDecisionV2 = updateEndpoint(face);
export const supersedeDecisionV2 = supersedeEndpoint(face);
export const getDecisionChainV2 = chainEndpoint(face);
export const forgetDecisionV2 = forgetEndpoint(face);
export const restoreDecisionV2 = restoreEndpoint(face);
