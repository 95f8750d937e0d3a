/** The audit log. Interface §2.1 "Audit" and §5.13, decisions §6 "audit". */
import * as checkpoints from "../../domain/audit/checkpoints.ts";
import * as audit from "../../domain/audit/log.ts";
import {
  AuditCheckpoint,
  AuditConsistency,
  AuditConsistencyQuery,
  AuditPage,
  AuditProof,
  AuditProofQuery,
  AuditSeqParams,
  AuditVerification,
  ListAuditQuery,
  VerifyAuditQuery,
} from "../../schema/audit.ts";
import { endpoint } from "../endpoint.ts";

/** Lists who saw, changed or was refused what. */
export const listAudit = endpoint({
  method: "get",
  path: "/audit",
  operationId: "listAudit",
  summary: "List the audit log",
  description:
    "One row for every request, in the workspace's own chain. Writes stand in it at once, reads and refusals a moment later.",
  scope: "audit:read",
  query: ListAuditQuery,
  response: AuditPage,
}, (ctx, { query }) => audit.listAudit(ctx, query));

/** Verifies the chain. */
export const verifyAudit = endpoint({
  method: "get",
  path: "/audit/verify",
  operationId: "verifyAudit",
  summary: "Verify the audit log",
  description:
    "Walks the chain and compares it with the stored checkpoints, and names the first row that is wrong. A log that was rewritten as a whole, checkpoints and all, shows only against a checkpoint that was kept elsewhere.",
  scope: "audit:read",
  query: VerifyAuditQuery,
  response: AuditVerification,
}, (ctx, { query }) => audit.verifyAudit(ctx, query));

/** Gives the latest checkpoint. */
export const getAuditCheckpoint = endpoint({
  method: "get",
  path: "/audit/checkpoint",
  operationId: "getAuditCheckpoint",
  summary: "Get a signed checkpoint of the audit log",
  description: "A new one when the latest is older than a minute. Signed where the instance has a signing key.",
  scope: "audit:read",
  response: AuditCheckpoint,
  errors: ["not_found"],
}, (ctx) => checkpoints.getCheckpoint(ctx));

/** Proves that an earlier log is the beginning of a later one. */
export const proveAuditConsistency = endpoint({
  method: "get",
  path: "/audit/consistency",
  operationId: "proveAuditConsistency",
  summary: "Prove that an earlier audit log is the beginning of a later one",
  description: "RFC 9162 §2.1.4.",
  scope: "audit:read",
  query: AuditConsistencyQuery,
  response: AuditConsistency,
  errors: ["not_found"],
}, (ctx, { query }) => audit.proveAuditConsistency(ctx, query));

/** Proves that a row stands in the log. */
export const proveAuditRow = endpoint({
  method: "get",
  path: "/audit/{seq}/proof",
  operationId: "proveAuditRow",
  summary: "Prove that a row stands in the audit log",
  description: "RFC 9162 §2.1.3.",
  scope: "audit:read",
  params: AuditSeqParams,
  query: AuditProofQuery,
  response: AuditProof,
}, (ctx, { params, query }) => audit.proveAuditRow(ctx, params.seq, query));
