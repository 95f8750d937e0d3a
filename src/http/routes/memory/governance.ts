/** `/v1/memory/governance` */
import * as governance from "../../../operations/governance.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "memory/governance",
  description: "What units are worth, the consolidation gate, drift",
};

export const listWorth = route("get", "/memory/governance/worth", governance.listWorth);
export const giveWorthFeedback = route("post", "/memory/governance/worth/feedback", governance.giveWorthFeedback);
export const getGate = route("get", "/memory/governance/gate", governance.getGate);
export const setGate = route("post", "/memory/governance/gate", governance.setGate);
export const getDrift = route("get", "/memory/governance/drift", governance.getDrift);
