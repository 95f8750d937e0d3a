/** Decisions, version 3. Interface §4.3, decisions §6 "decisions". */
import { chainEndpoint, decisionFace, supersedeEndpoint } from "../../decision_endpoints.ts";
import {
  archiveEndpoint,
  createEndpoint,
  createManyEndpoint,
  forgetEndpoint,
  getEndpoint,
  listEndpoint,
  restoreEndpoint,
  revisionsEndpoint,
  updateEndpoint,
} from "../../unit_endpoints.ts";

const face = decisionFace("/memory/decisions", "");

export const createDecision = createEndpoint(face);
export const listDecisions = listEndpoint(face);
export const getDecision = getEndpoint(face);
export const updateDecision = updateEndpoint(face);
export const supersedeDecision = supersedeEndpoint(face);
export const getDecisionChain = chainEndpoint(face);
export const createDecisions = createManyEndpoint(face);
export const archiveDecision = archiveEndpoint(face);
export const forgetDecision = forgetEndpoint(face);
export const restoreDecision = restoreEndpoint(face);
export const listDecisionRevisions = revisionsEndpoint(face);
