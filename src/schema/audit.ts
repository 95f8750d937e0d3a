/** The audit log as callers see it. */
import { z } from "zod";
import {
  EndInput,
  Id,
  isSpan,
  ListQuery,
  Metadata,
  NO_SPAN,
  pageOf,
  repeated,
  Timestamp,
  TimestampInput,
  wholeNumber,
} from "./common.ts";

const Hash = z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in lower-case hex").meta({
  description: "SHA-256 in hex",
});
const EventType = z.string().min(1).max(100).regex(
  /^[A-Za-z0-9_-]+(?:[.:][A-Za-z0-9_-]+)*\.?$/,
  "must be the name of an event, such as write.createFact",
);
const Seq = z.int().min(1).meta({ description: "Place in the workspace's chain, from 1 without gaps" });
const seqInput = () => wholeNumber(1, Number.MAX_SAFE_INTEGER);

/** The names of its members are the interface's. */
export const AuditRow = z.strictObject({
  seq: Seq,
  id: Id,
  workspace_id: Id,
  actor_id: z.string().meta({ description: "`key:<id>`, `admin:<id>`, `worker:<name>` or `cli`" }),
  actor_type: z.enum(["key", "admin", "broker", "worker", "operator", "system", "peer"]),
  event_type: z.string().meta({
    description: "`read.<operation>`, `write.<operation>`, `refused.<operation>`, or a name such as `api_key.revoked`",
  }),
  outcome: z.string().meta({ description: "`ok`, `ignored`, `broken_off` (of an export), or the code of the refusal" }),
  request_id: z.string(),
  targets: z.array(Id).meta({ description: "What was written or shown: the first hundred ids" }),
  target_count: z.int().min(0),
  detail: Metadata,
  created_at: Timestamp,
  ip_address: z.string().nullable().meta({ description: "The caller's address; null: unknown, or deleted since" }),
  ip_commitment: z.string().nullable().meta({ description: "SHA-256 of salt and address; part of the chain" }),
  hash: Hash,
}).meta({ id: "AuditRow" });
export type AuditRow = z.infer<typeof AuditRow>;
export const AuditPage = pageOf(AuditRow).meta({ id: "AuditPage" });

export const ListAuditQuery = ListQuery.extend({
  eventType: repeated(EventType, 20).optional().meta({
    description: "May be repeated. A name that ends with `.` matches every name that begins so, such as `write.`",
  }),
  actorId: z.string().min(1).max(200).optional(),
  outcome: z.string().min(1).max(50).optional(),
  target: Id.optional().meta({ description: "Rows that name this resource" }),
  requestId: z.string().min(1).max(128).optional(),
  from: TimestampInput.optional(),
  to: EndInput.optional(),
}).refine(isSpan, NO_SPAN);
export type ListAuditQuery = z.infer<typeof ListAuditQuery>;

export const VerifyAuditQuery = z.strictObject({
  from: seqInput().optional().meta({
    description: "First row to verify; default 1. Checkpoints are compared only when it is 1",
  }),
  to: seqInput().optional().meta({ description: "Last row to verify; default: the last one" }),
});
export type VerifyAuditQuery = z.infer<typeof VerifyAuditQuery>;

export const AuditVerification = z.strictObject({
  ok: z.boolean(),
  size: z.int().min(0).meta({ description: "The last row that was read and is correct" }),
  root: Hash.nullable().meta({ description: "The tree head over all rows, if verification began with the first" }),
  problem: z.enum(["altered", "missing", "truncated", "rewritten"]).nullable(),
  firstBadSeq: z.int().nullable(),
  checkpointsChecked: z.int().min(0),
}).meta({ id: "AuditVerification", description: "Whether the chain of the audit log is whole" });
export type AuditVerification = z.infer<typeof AuditVerification>;

export const AuditSeqParams = z.object({ seq: seqInput() });
export const AuditProofQuery = z.strictObject({
  size: seqInput().optional().meta({ description: "Number of rows in the tree; default: all" }),
});
export type AuditProofQuery = z.infer<typeof AuditProofQuery>;
export const AuditProof = z.strictObject({
  seq: Seq,
  size: z.int().min(1),
  leafHash: Hash.meta({ description: "SHA-256 of a zero byte and the row's hash (RFC 9162)" }),
  root: Hash,
  path: z.array(Hash),
}).meta({ id: "AuditProof", description: "A proof that the row is in the log" });
export type AuditProof = z.infer<typeof AuditProof>;

export const AuditCheckpoint = z.strictObject({
  origin: z.string(),
  size: z.int().min(1),
  root: Hash,
  note: z.string().meta({
    description: "The checkpoint as a signed note (C2SP). Keep it elsewhere: it proves a later rewrite of the log",
  }),
  signed: z.boolean(),
  createdAt: Timestamp,
}).meta({ id: "AuditCheckpoint", description: "The signed head of the audit log" });
export type AuditCheckpoint = z.infer<typeof AuditCheckpoint>;

export const AuditConsistencyQuery = z.strictObject({
  first: seqInput().meta({ description: "Number of rows in the smaller tree" }),
  second: seqInput().optional().meta({ description: "Number of rows in the larger tree; default: all" }),
}).refine(({ first, second }) => second === undefined || first <= second, {
  message: "must not be less than first",
  path: ["second"],
});
export type AuditConsistencyQuery = z.infer<typeof AuditConsistencyQuery>;
export const AuditConsistency = z.strictObject({
  first: z.int().min(1),
  firstRoot: Hash,
  second: z.int().min(1),
  secondRoot: Hash,
  path: z.array(Hash),
}).meta({ id: "AuditConsistency", description: "A proof that the log was only appended to" });
export type AuditConsistency = z.infer<typeof AuditConsistency>;
