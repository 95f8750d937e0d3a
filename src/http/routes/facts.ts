/** `/v1/facts` */
import * as facts from "../../operations/facts.ts";
import { alias, route } from "../route.ts";

export { GROUP } from "./memory/facts.ts";

export const createFactV2 = alias("post", "/facts", facts.createFact);
export const listFactsV2 = alias("get", "/facts", facts.listFacts);
export const getFactV2 = alias("get", "/facts/{id}", facts.getFact);
export const updateFactV2 = alias("patch", "/facts/{id}", facts.updateFact);
export const pinFact = route("post", "/facts/{id}/pin", facts.pinFact);
export const unpinFact = route("delete", "/facts/{id}/pin", facts.unpinFact);
export const forgetFact = route("post", "/facts/{id}/forget", facts.forgetFact);
export const restoreFact = route("post", "/facts/{id}/restore", facts.restoreFact);
export const listFactCitations = route("get", "/facts/{id}/citations", facts.listFactCitations);
export const getFactHistory = route("get", "/facts/{id}/history", facts.getFactHistory);
