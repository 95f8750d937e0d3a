/** `/v1/audit` */
import * as audit from "../../operations/audit.ts";
import { type Group, route } from "../route.ts";

export const GROUP: Group = {
  name: "audit",
  description: "The audit log: who saw, changed or was refused what, in a chain that can be verified",
};

export const listAudit = route("get", "/audit", audit.listAudit);
export const verifyAudit = route("get", "/audit/verify", audit.verifyAudit);
export const getAuditCheckpoint = route("get", "/audit/checkpoint", audit.getAuditCheckpoint);
export const proveAuditConsistency = route("get", "/audit/consistency", audit.proveAuditConsistency);
export const proveAuditRow = route("get", "/audit/{seq}/proof", audit.proveAuditRow);
