/** Reasoning distillation: chains that were recorded once and are served again. */
import { z } from "zod";
import {
  AgentId,
  EndInput,
  Id,
  JsonObject,
  JsonValue,
  ListQuery,
  pageOf,
  repeated,
  Sensitivity,
  Share,
  Tags,
  textOf,
  Timestamp,
} from "./common.ts";

export const REASONING_OUTCOMES = ["success", "partial", "failure"] as const;
export const ReasoningOutcome = z.enum(REASONING_OUTCOMES).meta({
  id: "ReasoningOutcome",
  description: "How the chain ended; only a `success` is served",
});
export type ReasoningOutcome = z.infer<typeof ReasoningOutcome>;

export const REASONING_STATUSES = ["active", "demoted", "retired"] as const;
export const ReasoningStatus = z.enum(REASONING_STATUSES).meta({
  id: "ReasoningStatus",
  description: "`demoted`: served only for the same goal and context. `retired`: not served",
});
export type ReasoningStatus = z.infer<typeof ReasoningStatus>;

export const RetiredReason = z.enum(["precondition_changed", "unreliable", "expired"]).meta({
  id: "ReasoningRetiredReason",
});
export type RetiredReason = z.infer<typeof RetiredReason>;

const encoder = new TextEncoder();
function jsonOf<T extends z.ZodType>(value: T, bytesMax: number) {
  return value.refine(
    (json) => encoder.encode(JSON.stringify(json)).byteLength <= bytesMax,
    `must be at most ${bytesMax} bytes as JSON`,
  );
}

/** What the document says about an object with members of any name. */
const OPEN_OBJECT = { type: "object", additionalProperties: true } as const;

const Goal = textOf(4_096).meta({ description: "The goal, in words" });
const Context = z.union([textOf(8_192), jsonOf(JsonObject, 8_192).meta(OPEN_OBJECT)]).meta({
  id: "ReasoningContext",
  description: "The context of the goal: a text, or an object (the order of its members does not matter)",
});
export const ReasoningStep = z.union([textOf(8_192), JsonObject.meta(OPEN_OBJECT)]).meta({
  id: "ReasoningStep",
  description: "A sentence, or an object of the caller's own form (thought, action, observation, …)",
});

/** How much a chain is to be relied on. */
export const Reliability = z.strictObject({
  mean: Share.meta({
    description: "Mean of Beta(a + helpful, b + harmful); a, b are 2, 1 for a success, 1, 1 for a partial one, 1, 2 " +
      "for a failure",
  }),
  lowerBound: Share.meta({ description: "The mean minus 1.645 standard deviations" }),
  helpful: z.int().min(0).meta({ description: "Number of keys whose agents agree more than they disagree" }),
  harmful: z.int().min(0),
}).meta({ id: "Reliability" });
export type Reliability = z.infer<typeof Reliability>;

/** A unit that a chain rests on, as it was checked now. */
export const CheckedPrecondition = z.strictObject({
  factId: Id,
  contentHash: z.string().nullable().meta({
    description: "Hash of its content when the chain was recorded; null: it was erased",
  }),
  holds: z.boolean().meta({ description: "Whether it exists, is in force, is not stale, and says the same" }),
}).meta({ id: "CheckedPrecondition" });
export type CheckedPrecondition = z.infer<typeof CheckedPrecondition>;

export const ReasoningEntry = z.strictObject({
  id: Id,
  version: z.int().min(1),
  status: ReasoningStatus,
  retiredReason: RetiredReason.nullable(),
  goal: z.string(),
  context: JsonValue.nullable(),
  steps: z.array(ReasoningStep),
  answer: z.string(),
  outcome: ReasoningOutcome,
  preconditions: z.array(CheckedPrecondition),
  reliability: Reliability,
  tokensSpent: z.int().min(0),
  attempts: z.strictObject({
    success: z.int().min(0),
    partial: z.int().min(0),
    failure: z.int().min(0),
  }).meta({ description: "How often each outcome was recorded for this goal and context" }),
  useCount: z.int().min(0),
  tokensSaved: z.int().min(0).meta({ description: "By all hits together" }),
  lastUsedAt: Timestamp.nullable(),
  expiresAt: Timestamp.nullable(),
  agentId: z.string().nullable(),
  tags: z.array(z.string()),
  sensitivity: Sensitivity,
  contentHash: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  createdBy: z.string(),
}).meta({ id: "ReasoningEntry", description: "A chain of reasoning" });
export type ReasoningEntry = z.infer<typeof ReasoningEntry>;
export const ReasoningPage = pageOf(ReasoningEntry).meta({ id: "ReasoningPage" });

export const RecordReasoningBody = z.strictObject({
  goal: Goal,
  context: Context.optional(),
  steps: jsonOf(z.array(ReasoningStep).max(200), 65_536).default([]),
  answer: textOf(65_536),
  outcome: ReasoningOutcome.default("success"),
  preconditions: z.array(z.strictObject({
    factId: Id.meta({ description: "A fact, or a unit of any other kind" }),
    contentHash: z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in lower-case hex").optional().meta({
      description: "Hash of the content that the chain rests on. Default: the current one",
    }),
  })).max(100).default([]),
  tokensSpent: z.int().min(0).max(100_000_000).default(0).meta({ description: "What reaching the answer cost" }),
  agentId: AgentId.optional(),
  tags: Tags.default([]),
  sensitivity: Sensitivity.optional().meta({
    description:
      "At most the key's clearance, at least that of its preconditions. Default: `internal`, or that of its " +
      "most sensitive precondition",
  }),
  ttlSeconds: z.int().min(1).max(315_360_000).optional().meta({
    description: "How long the chain may be served, from now",
  }),
  expiresAt: EndInput.optional(),
}).refine((body) => body.ttlSeconds === undefined || body.expiresAt === undefined, {
  message: "must not be given beside ttlSeconds",
  path: ["expiresAt"],
}).meta({ id: "RecordReasoningBody" });
export type RecordReasoningBody = z.infer<typeof RecordReasoningBody>;

export const SIMILARITY_DEFAULT = 0.85;

export const ResolveReasoningBody = z.strictObject({
  goal: Goal,
  context: Context.optional(),
  threshold: Share.default(SIMILARITY_DEFAULT).meta({
    description: "How similar another goal must be; 1: only the same goal",
  }),
  minReliability: Share.default(0).meta({
    description: "The least mean reliability",
  }),
  maxSensitivity: Sensitivity.optional().meta({
    description: "Only chains up to this sensitivity. Default: the key's clearance",
  }),
  runId: z.string().min(1).max(200).optional().meta({
    description:
      "The id of the run that asks. If the same run asks again within a day, that is a retry and counts as no second use",
  }),
}).meta({ id: "ResolveReasoningBody" });
export type ResolveReasoningBody = z.infer<typeof ResolveReasoningBody>;

export const ResolveReason = z.enum([
  "exact",
  "similar",
  "no_match",
  "precondition_changed",
  "unreliable",
  "retired",
  "expired",
  "not_successful",
]).meta({
  id: "ResolveReason",
  description:
    "A hit: `exact` (same goal and context) or `similar`. A miss: `no_match`; or why the best candidate is not served: " +
    "`precondition_changed`, `unreliable` (demoted, or below `minReliability`), `retired` (by votes), `expired`, " +
    "`not_successful` (a failure or partial one is all that is known)",
});
export type ResolveReason = z.infer<typeof ResolveReason>;

export const ResolveReasoningReply = z.strictObject({
  hit: z.boolean(),
  reason: ResolveReason,
  entry: ReasoningEntry.nullable().meta({ description: "Of a hit" }),
  candidateId: Id.nullable().meta({ description: "The entry that the reason refers to; null: there is none" }),
  similarity: Share.meta({
    description: "Similarity of the candidate's goal; without a candidate, of the nearest goal",
  }),
  reliability: Reliability.nullable(),
  tokensSaved: z.int().min(0).meta({
    description: "For a hit: what the chain cost minus the tokens of the served answer; 0 for a retry",
  }),
  preconditions: z.array(CheckedPrecondition).meta({ description: "The candidate's preconditions, checked now" }),
}).meta({ id: "ResolveReasoningReply", description: "The chain of reasoning that fits, or why none is served" });
export type ResolveReasoningReply = z.infer<typeof ResolveReasoningReply>;

export const ReasoningFeedbackBody = z.strictObject({
  entryId: Id,
  outcome: z.enum(["helpful", "harmful", "success", "failure"]).meta({
    description: "`success` counts as helpful, `failure` as harmful",
  }),
  agentId: AgentId.optional().meta({ description: "The agent that votes. Default: the key itself" }),
  note: z.string().min(1).max(1_000).optional(),
}).meta({ id: "ReasoningFeedbackBody" });
export type ReasoningFeedbackBody = z.infer<typeof ReasoningFeedbackBody>;

export const ReasoningFeedbackReply = z.strictObject({
  entry: ReasoningEntry,
  vote: z.strictObject({ agentId: z.string(), helpful: z.boolean(), note: z.string().nullable() }),
  replaced: z.boolean().meta({ description: "Whether the agent had voted before" }),
}).meta({ id: "ReasoningFeedbackReply", description: "The votes and the score after them" });
export type ReasoningFeedbackReply = z.infer<typeof ReasoningFeedbackReply>;

export const ReasoningParams = z.strictObject({ id: Id });

export const ListReasoningQuery = ListQuery.extend({
  q: z.string().min(1).max(4_096).optional().meta({ description: "Entries whose goal has all these words" }),
  status: repeated(ReasoningStatus, REASONING_STATUSES.length).optional().meta({ description: "May be repeated" }),
  outcome: repeated(ReasoningOutcome, REASONING_OUTCOMES.length).optional().meta({ description: "May be repeated" }),
  agentId: AgentId.optional(),
  factId: Id.optional().meta({ description: "Entries that rest on this unit" }),
});
export type ListReasoningQuery = z.infer<typeof ListReasoningQuery>;
