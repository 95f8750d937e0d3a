/** Sessions, their turns and their scratchpad. */
import { z } from "zod";
import {
  AgentId,
  Attribution,
  Id,
  JsonObject,
  JsonValue,
  ListQuery,
  MessageId,
  Metadata,
  pageOf,
  Sensitivity,
  Tags,
  textOf,
  Timestamp,
  TimestampInput,
  wholeNumber,
} from "./common.ts";
import { checkInput } from "./field_errors.ts";
import { InvisibleText } from "./invisible_text.ts";
import { RecallResult } from "./recall.ts";
import { UnitType } from "./unit.ts";

export const SESSION_STATUSES = ["open", "collapsed", "discarded"] as const;
export const SessionStatus = z.enum(SESSION_STATUSES).meta({ id: "SessionStatus" });
export type SessionStatus = z.infer<typeof SessionStatus>;

export const TURN_ROLES = ["user", "assistant", "system", "tool"] as const;
export const TurnRole = z.enum(TURN_ROLES).meta({ id: "TurnRole" });
export type TurnRole = z.infer<typeof TurnRole>;

/** Names that a session lists; a public channel may have more speakers than a row should carry. */
export const SESSION_PARTICIPANTS_MAX = 1_000;

/** Turns in one session: positions are kept in 18 bits. */
export const SESSION_TURNS_MAX = 262_144;
/** Tokens of all turns of one session: what collapsing it reads, and sums up, at once. */
export const SESSION_TOKENS_MAX = 1_000_000;
export const TURN_BATCH_MAX = 500;
export const TURN_CONTENT_BYTES_MAX = 65_536;
/** The whole scratchpad as JSON. */
export const SCRATCHPAD_BYTES_MAX = 65_536;

/** Whether a scratchpad is small enough to be kept. */
export function isScratchpadWithinSize(value: unknown): boolean {
  return new TextEncoder().encode(JSON.stringify(value)).byteLength <= SCRATCHPAD_BYTES_MAX;
}

export const ScratchpadContent = JsonObject.refine(
  isScratchpadWithinSize,
  `must be at most ${SCRATCHPAD_BYTES_MAX} bytes as JSON`,
).meta({
  id: "ScratchpadContent",
  type: "object",
  additionalProperties: true,
  description: "Free members, at most 64 KiB as JSON",
  examples: [{ goal: "book a flight", seats: 2 }],
});

const Title = textOf(1_000);
const SessionAgentId = AgentId.meta({ description: "The agent that the session belongs to, as the caller names it" });
const SpeakerName = textOf(400).meta({ description: "Who speaks", examples: ["Caroline"] });

export const StartSessionBody = z.strictObject({
  title: Title.optional(),
  agentId: SessionAgentId.optional(),
  sensitivity: Sensitivity.default("internal").meta({
    description: "Holds for all its turns and for what it collapses to; at most the key's clearance",
  }),
  tags: Tags.default([]),
  metadata: Metadata.default({}),
  scratchpad: ScratchpadContent.default({}),
  startedAt: TimestampInput.optional().meta({ description: "Default: now" }),
}).meta({ id: "StartSessionBody" });
export type StartSessionBody = z.infer<typeof StartSessionBody>;

const SESSION_FIELDS = {
  id: Id,
  version: z.int().min(1).meta({
    description: "Increases with every change of the session, its turns or its scratchpad",
  }),
  status: SessionStatus,
  title: z.string().nullable(),
  agentId: z.string().nullable(),
  sensitivity: Sensitivity,
  tags: z.array(z.string()),
  metadata: z.record(z.string(), JsonValue),
  turnCount: z.int().min(0),
  tokenCount: z.int().min(0).meta({ description: "Tokens of all turns, approximately" }),
  participants: z.array(z.string()).meta({
    description: "Names of the speakers, in the order in which they first spoke",
  }),
  scratchpadVersion: z.int().min(1),
  startedAt: Timestamp,
  endedAt: Timestamp.nullable().meta({ description: "When it was collapsed or discarded" }),
  episodeId: Id.nullable().meta({ description: "The episode that it collapsed to" }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  createdBy: z.string(),
};

/** A session as lists show it. */
export const SessionSummary = z.strictObject(SESSION_FIELDS).meta({ id: "SessionSummary" });
export type SessionSummary = z.infer<typeof SessionSummary>;

export const Session = z.strictObject({
  ...SESSION_FIELDS,
  scratchpad: z.record(z.string(), z.unknown()),
}).meta({ id: "Session" });

export const PurgedSession = z.strictObject({
  session: Session,
  turns: z.int().min(0).meta({ description: "Number of turns deleted with their texts" }),
  erased: z.array(z.strictObject({ id: Id, type: UnitType })).meta({
    description: "Units that were erased. Each has a receipt in the deletion log, and its id answers 410 from now on",
  }),
}).meta({ id: "PurgedSession" });
export type PurgedSession = z.infer<typeof PurgedSession>;
export type Session = z.infer<typeof Session>;

export const SessionParams = z.strictObject({ id: Id });

export const ListSessionsQuery = ListQuery.extend({
  status: SessionStatus.optional(),
  agentId: SessionAgentId.optional(),
});
export type ListSessionsQuery = z.infer<typeof ListSessionsQuery>;
export const SessionPage = pageOf(SessionSummary).meta({ id: "SessionPage" });

/** One turn as a caller adds it. It is kept verbatim. */
export const AddTurnBody = z.strictObject({
  role: TurnRole,
  name: SpeakerName.optional(),
  content: textOf(TURN_CONTENT_BYTES_MAX),
  messageId: MessageId.optional().meta({
    description:
      "The caller's own id, unique in the session. Sent again with the same role, name and content, it is the same turn; with other content it is refused. Default: the turn's id",
  }),
  occurredAt: TimestampInput.optional().meta({ description: "Default: now" }),
  pinned: z.boolean().default(false),
  tags: Tags.default([]),
  metadata: Metadata.default({}),
}).meta({ id: "AddTurnBody" });
export type AddTurnBody = z.infer<typeof AddTurnBody>;

export const AddTurnBatchBody = z.strictObject({
  turns: z.array(AddTurnBody).min(1).max(TURN_BATCH_MAX).meta({
    description: "In order. All of them are added, or none",
  }),
}).meta({ id: "AddTurnBatchBody" });
export type AddTurnBatchBody = z.infer<typeof AddTurnBatchBody>;

/** One turn or a batch. The member `turns` decides, so that a fault is reported where it is and not as "neither of both". */
export const AddTurnsBody = z.preprocess((value, context) => {
  const batch = typeof value === "object" && value !== null && Object.hasOwn(value, "turns");
  const { faults } = checkInput(batch ? AddTurnBatchBody : AddTurnBody, value);
  if (faults === undefined) return value;
  // Told one by one, because the library goes on after unknown keys and would add a fault of the union.
  for (const { path, message } of faults.told()) {
    context.addIssue({ code: "custom", path: [path], message, input: value });
  }
  if (faults.more > 0) context.addIssue({ code: "custom", params: { more: faults.more }, input: value });
  return value;
}, z.union([AddTurnBatchBody, AddTurnBody]));
export type AddTurnsBody = z.infer<typeof AddTurnsBody>;

export const Turn = z.strictObject({
  id: Id,
  sessionId: Id,
  version: z.int().min(1),
  position: z.int().min(0).meta({ description: "Position in the session, from 0" }),
  messageId: z.string(),
  role: TurnRole,
  name: z.string().nullable(),
  content: z.string(),
  invisibleText: InvisibleText,
  sensitivity: Sensitivity,
  pinned: z.boolean(),
  tags: z.array(z.string()),
  metadata: z.record(z.string(), JsonValue),
  occurredAt: Timestamp,
  recordedAt: Timestamp,
}).meta({ id: "Turn" });
export type Turn = z.infer<typeof Turn>;

/** The answer to one added turn. */
export const AddedTurn = Turn.extend({
  duplicate: z.boolean().meta({ description: "The turn existed already; nothing was added" }),
}).meta({ id: "AddedTurn" });
export type AddedTurn = z.infer<typeof AddedTurn>;

/** What an added turn became; its content is not sent back. */
export const TurnReceipt = z.strictObject({
  id: Id,
  messageId: z.string(),
  position: z.int().min(0),
  duplicate: z.boolean(),
}).meta({ id: "TurnReceipt" });
export type TurnReceipt = z.infer<typeof TurnReceipt>;

export const AddedTurnBatch = z.strictObject({
  sessionId: Id,
  created: z.int().min(0),
  duplicates: z.int().min(0),
  turns: z.array(TurnReceipt).meta({ description: "One for each turn of the request, in its order" }),
}).meta({ id: "AddedTurnBatch" });
export type AddedTurnBatch = z.infer<typeof AddedTurnBatch>;

/** Turns are listed in their order unless asked otherwise. */
export const ListTurnsQuery = ListQuery.extend({
  order: z.enum(["asc", "desc"]).default("asc"),
  pinned: z.enum(["true", "false"]).transform((value) => value === "true").optional(),
});
export type ListTurnsQuery = z.infer<typeof ListTurnsQuery>;
export const TurnPage = pageOf(Turn).meta({ id: "TurnPage" });

export const PinTurnBody = z.strictObject({
  turnId: Id.optional(),
  messageId: MessageId.optional(),
  pinned: z.boolean().default(true),
}).refine((body) => (body.turnId === undefined) !== (body.messageId === undefined), {
  message: "exactly one of turnId and messageId is needed",
  path: ["turnId"],
}).meta({ id: "PinTurnBody" });
export type PinTurnBody = z.infer<typeof PinTurnBody>;

/** The merge patch itself: null removes a member. */
export const PatchScratchpadBody = JsonObject.meta({
  id: "PatchScratchpadBody",
  type: "object",
  additionalProperties: true,
  description: "A JSON merge patch (RFC 7386): members replace those of the scratchpad, null removes a member",
});

export const Scratchpad = z.strictObject({
  sessionId: Id,
  version: z.int().min(1).meta({ description: "The version of the scratchpad, for `If-Match`" }),
  content: z.record(z.string(), z.unknown()),
}).meta({ id: "Scratchpad" });
export type Scratchpad = z.infer<typeof Scratchpad>;

export const SESSION_CONTEXT_TOKENS_MIN = 64;
export const SESSION_CONTEXT_TOKENS_MAX = 200_000;
export const SESSION_CONTEXT_TOKENS_DEFAULT = 4_000;

export const SessionContextQuery = z.strictObject({
  maxTokens: wholeNumber(SESSION_CONTEXT_TOKENS_MIN, SESSION_CONTEXT_TOKENS_MAX).default(
    SESSION_CONTEXT_TOKENS_DEFAULT,
  ),
  query: textOf(4_096).optional().meta({ description: "What to recall; default: the last turn of a user" }),
});
export type SessionContextQuery = z.infer<typeof SessionContextQuery>;

export const SessionContext = z.strictObject({
  sessionId: Id,
  status: SessionStatus,
  summary: z.strictObject({
    text: z.string(),
    turns: z.int().min(1).meta({ description: "Number of turns that it summarises" }),
  }).optional(),
  scratchpad: z.record(z.string(), z.unknown()).optional().meta({
    description: "Absent if it is empty or does not fit",
  }),
  turns: z.array(Turn).meta({ description: "The most recent turns, complete, in order" }),
  knowledge: z.array(RecallResult).meta({
    description: "Recalled from outside these turns: pinned ones first, then by relevance",
  }),
  evidenceConfidence: z.number().min(0).max(1).meta({
    description: "Confidence in the recalled knowledge; 0 without a query",
  }),
  omitted: z.array(z.enum(["summary", "scratchpad", "turns", "knowledge"])).meta({
    description: "Parts that do not fit into the budget completely",
  }),
  usage: z.strictObject({
    tokens: z.int().min(0),
    maxTokens: z.int(),
    summaryTokens: z.int().min(0),
    scratchpadTokens: z.int().min(0),
    turnTokens: z.int().min(0),
    knowledgeTokens: z.int().min(0),
  }),
}).meta({ id: "SessionContext" });
export type SessionContext = z.infer<typeof SessionContext>;

/** Why a fact was extracted. */
export const EXTRACTION_REASONS = ["pinned", "stated", "inferred"] as const;

export const ExtractedFact = z.strictObject({
  factId: Id,
  statement: z.string().nullable().meta({
    description: "The fact's current text; null if it was erased or is not visible",
  }),
  factType: z.string().nullable(),
  attribution: Attribution.nullable(),
  messageId: z.string().meta({ description: "The turn that it cites" }),
  why: z.enum(EXTRACTION_REASONS).meta({
    description:
      "`pinned`: its turn is pinned. `stated`: the turn says so in these words. `inferred`: a language model worded it",
  }),
  outcome: z.enum(["created", "corroborated", "superseded", "contested"]).meta({
    description:
      "`corroborated`: the fact was known already and now cites this session, too. `superseded`: it was created and replaced older facts. `contested`: it was created, contradicts a fact in force and waits for review",
  }),
  relatedFactIds: z.array(Id).meta({ description: "The other facts that the outcome refers to" }),
}).meta({ id: "ExtractedFact" });
export type ExtractedFact = z.infer<typeof ExtractedFact>;

export const CollapsedSession = z.strictObject({
  sessionId: Id,
  status: z.literal("collapsed"),
  version: z.int().min(1),
  collapsedAt: Timestamp,
  turns: z.int().min(0),
  source: z.enum(["rules", "model", "mixed"]).meta({
    description: "Who proposed the statements. `mixed`: the language model failed for a part",
  }),
  modelFailure: z.string().nullable().meta({
    description: "Why rules were used although a language model is configured",
  }),
  episode: z.strictObject({
    id: Id,
    title: z.string().nullable(),
    summary: z.string().nullable(),
    startedAt: Timestamp,
    endedAt: Timestamp,
    participants: z.array(z.string()),
  }).nullable().meta({
    description: "Null for a session without turns. Title and summary are null if the episode was erased",
  }),
  facts: z.array(ExtractedFact).meta({ description: "In the order of the turns" }),
  rejected: z.record(z.string(), z.int().min(1)).meta({
    description: "Number of rejected proposals by reason: `duplicate`, `unsupported`, …",
    examples: [{ duplicate: 1 }],
  }),
}).meta({ id: "CollapsedSession" });
export type CollapsedSession = z.infer<typeof CollapsedSession>;
