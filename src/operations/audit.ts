/** The audit log. */
import * as checkpoints from "../domain/audit/checkpoints.ts";
import * as audit from "../domain/audit/log.ts";
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
} from "../schema/audit.ts";
import { WHOLE } from "./cost.ts";
import { operation } from "./operation.ts";

/** Lists entries: which actor read or changed which resources, or was refused. */
export const listAudit = operation({
  id: "listAudit",
  summary: "List the audit log",
  description:
    "One row for every request, in the workspace's own chain. The row of a write is there immediately, that of a read or refusal a moment later.",
  scope: "audit:read",
  query: ListAuditQuery,
  reply: AuditPage,
}, (ctx, { query }) => audit.listAudit(ctx, query));

/** Verifies the chain. */
export const verifyAudit = operation({
  id: "verifyAudit",
  summary: "Verify the audit log",
  description:
    "Walks the chain, compares it with the stored checkpoints and names the first wrong row. If somebody rewrote the whole log together with its checkpoints, only a checkpoint that was kept elsewhere shows it.",
  scope: "audit:read",
  cost: WHOLE,
  query: VerifyAuditQuery,
  reply: AuditVerification,
}, (ctx, { query }) => audit.verifyAudit(ctx, query));

/** Gives the latest checkpoint. */
export const getAuditCheckpoint = operation({
  id: "getAuditCheckpoint",
  summary: "Get a signed checkpoint of the audit log",
  description:
    "Makes a new checkpoint if the latest is older than a minute. It is signed if the instance has a signing key.",
  scope: "audit:read",
  reply: AuditCheckpoint,
  errors: ["not_found"],
}, (ctx) => checkpoints.getCheckpoint(ctx));

/** Proves that an earlier log is the beginning of a later one. */
export const proveAuditConsistency = operation({
  id: "proveAuditConsistency",
  summary: "Prove that an earlier audit log is the beginning of a later one",
  description: "A consistency proof as in RFC 9162, section 2.1.4.",
  scope: "audit:read",
  query: AuditConsistencyQuery,
  reply: AuditConsistency,
  errors: ["not_found"],
}, (ctx, { query }) => audit.proveAuditConsistency(ctx, query));

/** Proves that a row is in the log. */
export const proveAuditRow = operation({
  id: "proveAuditRow",
  summary: "Prove that a row is in the audit log",
  description: "An inclusion proof as in RFC 9162, section 2.1.3.",
  scope: "audit:read",
  params: AuditSeqParams,
  query: AuditProofQuery,
  reply: AuditProof,
}, (ctx, { params, query }) => audit.proveAuditRow(ctx, params.seq, query));

/** Lists what admins did, in the chain of the service itself. */
export const listAdminAudit = operation({
  id: "listAdminAudit",
  summary: "List what admins did",
  description:
    "The chain of the service itself: each act of an admin, with the admin's name in `detail.admin`, what the command line did, and what was refused. What concerns a workspace is in that workspace's own chain, too.",
  bearer: "admin",
  scope: "memory:admin",
  changes: false,
  query: ListAuditQuery,
  reply: AuditPage,
}, (ctx, { query }) => audit.listAudit(ctx, query));

/** Verifies the chain of the service itself. */
export const verifyAdminAudit = operation({
  id: "verifyAdminAudit",
  summary: "Verify the log of what admins did",
  description: "Like `GET /v1/audit/verify`, for the chain of the service itself.",
  bearer: "admin",
  scope: "memory:admin",
  changes: false,
  cost: WHOLE,
  query: VerifyAuditQuery,
  reply: AuditVerification,
}, (ctx, { query }) => audit.verifyAudit(ctx, query));
