/** `/v1/audit` */
import * as audit from "../../operations/audit.ts";
import { type Group, route } from "../route.ts";

export const GROUP: Group = {
  name: "Audit log",
  section: "Administration",
  description: "Who saw, changed or was refused what, as a hash chain that can be verified.",
};

export const listAudit = route("get", "/audit", audit.listAudit);
export const verifyAudit = route("get", "/audit/verify", audit.verifyAudit);
export const getAuditCheckpoint = route("get", "/audit/checkpoint", audit.getAuditCheckpoint);
export const proveAuditConsistency = route("get", "/audit/consistency", audit.proveAuditConsistency);
export const proveAuditRow = route("get", "/audit/{seq}/proof", audit.proveAuditRow);
