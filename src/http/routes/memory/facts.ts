/** `/v1/memory/facts` */
import * as facts from "../../../operations/facts.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "Facts",
  section: "Start here",
  place: 3,
  description: "Statements with time, trust and citations. Creating one detects contradictions.",
};

export const createFact = route("post", "/memory/facts", facts.createFact);
export const createFacts = route("post", "/memory/facts/batch", facts.createFacts);
export const listFacts = route("get", "/memory/facts", facts.listFacts);
export const getFact = route("get", "/memory/facts/{id}", facts.getFact);
export const updateFact = route("patch", "/memory/facts/{id}", facts.updateFact);
export const archiveFact = route("delete", "/memory/facts/{id}", facts.archiveFact);
export const listFactRevisions = route("get", "/memory/facts/{id}/revisions", facts.listFactRevisions);
export const getFactByExternalId = route("get", "/memory/facts/by-external-id/{externalId}", facts.getFactByExternalId);
export const upsertFact = route("put", "/memory/facts/by-external-id/{externalId}", facts.upsertFact);
