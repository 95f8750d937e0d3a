/** `/v1/memory/governance` */
import * as governance from "../../../operations/governance.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "Worth, gate and drift",
  section: "Upkeep",
  description: "What units are worth, when consolidation may run, and how the memory drifts.",
};

export const listWorth = route("get", "/memory/governance/worth", governance.listWorth);
export const giveWorthFeedback = route("post", "/memory/governance/worth/feedback", governance.giveWorthFeedback);
export const getGate = route("get", "/memory/governance/gate", governance.getGate);
export const setGate = route("post", "/memory/governance/gate", governance.setGate);
export const getDrift = route("get", "/memory/governance/drift", governance.getDrift);
