/** Sessions, their scratchpad, their context and what they collapse to. */
import { z } from "zod";
import {
  AgentId,
  Attribution,
  ExternalId,
  Id,
  JsonObject,
  JsonValue,
  ListQuery,
  Metadata,
  pageOf,
  Sensitivity,
  ShareParameter,
  Tags,
  textOf,
  Timestamp,
  TimestampInput,
  TimeZone,
  wholeNumber,
} from "./common.ts";
import { RecallResult } from "./recall.ts";
import { Turn } from "./turn.ts";
import { UnitType } from "./unit.ts";

export const SESSION_STATUSES = ["open", "collapsed", "discarded"] as const;
export const SessionStatus = z.enum(SESSION_STATUSES).meta({ id: "SessionStatus" });
export type SessionStatus = z.infer<typeof SessionStatus>;

/** Most participants that a session lists: a public channel may have more speakers than one row can hold. */
export const SESSION_PARTICIPANTS_MAX = 1_000;

/** Most turns of one session: the recall index holds a position in 18 bits. */
export const SESSION_TURNS_MAX = 262_144;
/** Most tokens of all turns of one session: collapsing reads and summarises them all at once. */
export const SESSION_TOKENS_MAX = 1_000_000;
/** Largest scratchpad, as JSON in UTF-8. */
export const SCRATCHPAD_BYTES_MAX = 65_536;

/** Whether a scratchpad has at most `SCRATCHPAD_BYTES_MAX` bytes. */
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
  timezone: TimeZone.optional().meta({
    description:
      "Where its speakers are, for turns whose time states no offset. Default: the workspace's setting, or UTC",
  }),
  externalId: ExternalId.optional().meta({
    description:
      "The caller's own name of the session, unique in the workspace. If a session has it already, that session is returned with 200, in whatever state it is. Other members that are given must then be as the session has them, or the request is refused; empty ones and the default sensitivity count as not given",
  }),
}).meta({ id: "StartSessionBody" });
export type StartSessionBody = z.infer<typeof StartSessionBody>;

const SESSION_FIELDS = {
  id: Id,
  version: z.int().min(1).meta({
    description: "Increases with every change of the session, its turns or its scratchpad",
  }),
  status: SessionStatus,
  title: z.string().nullable(),
  agentId: z.string().nullable().meta({ description: "The agent that the session belongs to" }),
  externalId: z.string().nullable().meta({ description: "The caller's own name of the session" }),
  sensitivity: Sensitivity,
  tags: z.array(z.string()).meta({ description: "Labels of the caller" }),
  metadata: z.record(z.string(), JsonValue).meta({ description: "Free members of the caller" }),
  turnCount: z.int().min(0).meta({ description: "How many turns it has" }),
  tokenCount: z.int().min(0).meta({ description: "Tokens of all turns, approximately" }),
  participants: z.array(z.string()).meta({
    description: "Names of the speakers, in the order in which they first spoke",
  }),
  scratchpadVersion: z.int().min(1).meta({ description: "For `If-Match` when the scratchpad is changed" }),
  timezone: TimeZone.optional().meta({ description: "Where its speakers are, as the caller says" }),
  startedAt: Timestamp.meta({ description: "When the conversation began, as the caller says" }),
  endedAt: Timestamp.nullable().meta({ description: "When it was collapsed or discarded" }),
  episodeId: Id.nullable().meta({ description: "The episode that it collapsed to" }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  createdBy: z.string().meta({ description: "Who created it, such as `key:<id>`" }),
};

/** A session as lists show it. */
export const SessionSummary = z.strictObject(SESSION_FIELDS).meta({ id: "SessionSummary" });
export type SessionSummary = z.infer<typeof SessionSummary>;

export const Session = z.strictObject({
  ...SESSION_FIELDS,
  scratchpad: z.record(z.string(), z.unknown()).meta({ description: "What the agent notes for itself while it works" }),
}).meta({ id: "Session", description: "A session, with its scratchpad" });

export const PurgedSession = z.strictObject({
  session: Session,
  turns: z.int().min(0).meta({ description: "Number of turns deleted with their texts" }),
  erased: z.array(z.strictObject({ id: Id, type: UnitType })).meta({
    description: "Units that were erased. Each has a receipt in the deletion log, and its id answers 410 from now on",
  }),
}).meta({ id: "PurgedSession", description: "What was erased with the session" });
export type PurgedSession = z.infer<typeof PurgedSession>;
export type Session = z.infer<typeof Session>;

export const SessionParams = z.strictObject({ id: Id });

export const ListSessionsQuery = ListQuery.extend({
  status: SessionStatus.optional(),
  agentId: SessionAgentId.optional(),
  externalId: ExternalId.optional().meta({ description: "The session that has this name" }),
  q: textOf(256).optional().meta({
    description:
      "The title or one of the turns contains this; case does not matter. It reads turns until the page is full",
  }),
  participant: z.string().min(1).max(200).optional().meta({
    description:
      `One of the session's \`participants\` has this name; case does not matter. A session lists the first ${
        SESSION_PARTICIPANTS_MAX.toLocaleString("en")
      }`,
  }),
});
export type ListSessionsQuery = z.infer<typeof ListSessionsQuery>;
export const SessionPage = pageOf(SessionSummary).meta({ id: "SessionPage" });

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
}).meta({ id: "Scratchpad", description: "The scratchpad of the session" });
export type Scratchpad = z.infer<typeof Scratchpad>;

export const SESSION_CONTEXT_TOKENS_MIN = 64;
export const SESSION_CONTEXT_TOKENS_MAX = 200_000;
export const SESSION_CONTEXT_TOKENS_DEFAULT = 4_000;

export const SessionContextQuery = z.strictObject({
  maxTokens: wholeNumber(SESSION_CONTEXT_TOKENS_MIN, SESSION_CONTEXT_TOKENS_MAX).default(
    SESSION_CONTEXT_TOKENS_DEFAULT,
  ),
  query: textOf(4_096).optional().meta({ description: "What to recall; default: the last turn of a user" }),
  minScore: ShareParameter.optional().meta({
    description: "The least score of recalled knowledge; default as in recall",
  }),
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
}).meta({ id: "SessionContext", description: "What an agent needs to go on, within the budget" });
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
      "`pinned`: its turn is pinned. `stated`: the turn says so in these words. `inferred`: a language model worded it, or a rule took a name or a question from another turn, which the fact cites, too",
  }),
  outcome: z.enum(["created", "corroborated", "superseded", "contested", "ordered", "interrupts", "outdates"]).meta({
    description:
      "`corroborated`: the fact was known already and now cites this session, too. `superseded`: it was created and replaces older facts. `contested`: it was created, contradicts a fact in force and waits for review. `ordered`: it was created and holds until a known, newer fact begins. `interrupts`: it was created and holds within facts that last longer. `outdates`: it was created and says something else than older facts, which stay",
  }),
  relatedFactIds: z.array(Id).meta({ description: "The other facts that the outcome refers to" }),
}).meta({ id: "ExtractedFact" });
export type ExtractedFact = z.infer<typeof ExtractedFact>;

export const ExtractedDecision = z.strictObject({
  decisionId: Id,
  title: z.string().nullable().meta({
    description: "What was decided, in few words; null if the decision was erased or is not visible",
  }),
  decision: z.string().nullable(),
  attribution: Attribution.nullable(),
  messageId: z.string().meta({ description: "The turn that says so" }),
}).meta({ id: "ExtractedDecision" });
export type ExtractedDecision = z.infer<typeof ExtractedDecision>;

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
  decisions: z.array(ExtractedDecision).meta({ description: "In the order of the turns" }),
  rejected: z.record(z.string(), z.int().min(1)).meta({
    description:
      "Number of rejected proposals by reason: `duplicate`, `unsupported`, `outdated` (the session takes it back later), …",
    examples: [{ duplicate: 1 }],
  }),
}).meta({ id: "CollapsedSession", description: "What the session collapsed to, and what was left out" });
export type CollapsedSession = z.infer<typeof CollapsedSession>;
