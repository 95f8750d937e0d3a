/** Schemas of recall: queries and results. */
import { z } from "zod";
import {
  Attribution,
  EndInput,
  Id,
  Kind,
  KINDS,
  Sensitivity,
  Tags,
  TagsMatch,
  Timestamp,
  TimestampInput,
  TimeZone,
} from "./common.ts";
import { Citation } from "./fact.ts";
import { RecallFilters } from "./recall_filter.ts";
import { RecallBoosts } from "./recall_signals.ts";
import { InvisibleText } from "./invisible_text.ts";
import { Stale, TrustScore } from "./unit.ts";

export const QUERY_CHARACTERS_MAX = 4_096;
export const RECALL_LIMIT_MAX = 100;
export const BATCH_QUERIES_MAX = 50;
export const EXPLAIN_IDS_MAX = 100;

const Query = z.string().min(1).max(QUERY_CHARACTERS_MAX).refine((text) => text.trim().length > 0, "must not be blank");
const Types = z.array(Kind).min(1).max(Object.keys(KINDS).length).transform((types) => [...new Set(types)]);
const Window = z.strictObject({ from: TimestampInput, to: EndInput }).refine(
  ({ from, to }) => Date.parse(from) < Date.parse(to),
  { message: "must be later than from", path: ["to"] },
);

/** What the current state alone can answer, and so the hot tier. */
const currentShape = {
  query: Query.meta({ examples: ["When did Caroline adopt her dog?"] }),
  limit: z.int().min(1).max(RECALL_LIMIT_MAX).default(10).meta({
    description: "The most results; fewer if fewer are relevant",
  }),
  minScore: z.number().min(0).max(1).optional().meta({
    description:
      "The least score. Default: results likelier relevant than not or near the best, and the best ten turns of sessions; nothing if even the best is unlikely. 0: up to `limit` of all that have any sign",
  }),
  types: Types.optional().meta({ description: "Default: all" }),
  sessionId: Id.optional().meta({ description: "Only turns of this session and units that were made from it" }),
  tags: Tags.min(1).optional(),
  tagsMatch: TagsMatch,
  filters: RecallFilters.optional(),
  referenceDate: TimestampInput.optional().meta({
    description:
      'The time from which "yesterday" and "last week" in the query are counted; default: now. If it states an offset, such as `+09:00`, the days of the query are those of that offset; with `Z` they are those of `timezone`',
  }),
  timezone: TimeZone.optional().meta({
    description:
      "Where the asker is: days that the query names begin and end by the clocks of this zone. Default: the offset of `referenceDate`, the workspace's setting, or UTC",
  }),
  window: Window.optional().meta({
    description:
      "Only what occurred from `from` (inclusive) to `to` (exclusive), or holds at some time in between: a unit without `validFrom` or `validTo` has no end on that side, and one without either and without `occurredAt` counts by when it was recorded. It is a filter. To find what has ended by now, send `asOf` as well",
  }),
  minTrust: z.int().min(0).max(100).optional().meta({ description: "The least trust score" }),
  maxSensitivity: Sensitivity.optional().meta({
    description: "Results up to this sensitivity, even if the key may see more",
  }),
  match: z.enum(["relevant", "named"]).optional().meta({
    default: "relevant",
    description:
      "`relevant`: what answers the query. `named`: only what the query names, all of it that fits: units whose name, alias or tag stands in the query, and units and turns that mention an entity whose name does. Word forms do not matter, nor does one mistake in a word of four letters or more, unless it is the first letter",
  }),
  maxTokens: z.int().min(1).max(1_000_000).optional().meta({
    description:
      "Token budget for all texts of the reply. A result that does not fit is left out; later, shorter ones may still fit",
  }),
};

const Include = z.enum(["superseded", "neighbours", "trace"]).meta({
  description:
    "`superseded`: also facts that were replaced. `neighbours`: the turns before and after each turn. `trace`: how the results were found",
});

const historicShape = {
  asOf: TimestampInput.optional().meta({
    description: "What was true in the world at that time. Default: `knownAt`, otherwise now",
  }),
  knownAt: TimestampInput.optional().meta({ description: "What this service knew at that time. Default: now" }),
  include: z.array(Include).max(3).default([]),
};

export const RecallBody = z.strictObject({ ...currentShape, ...historicShape }).meta({ id: "RecallBody" });
export type RecallBody = z.infer<typeof RecallBody>;

export const HotRecallBody = z.strictObject({
  ...currentShape,
  include: z.array(z.literal("trace")).max(1).default([]),
}).meta({ id: "HotRecallBody", description: "The hot tier holds the current state and no history" });
export type HotRecallBody = z.infer<typeof HotRecallBody>;

export const ExplainRecallBody = z.strictObject({
  ...currentShape,
  ...historicShape,
  explainIds: z.array(Id).max(EXPLAIN_IDS_MAX).default([]).meta({
    description: "Asks why these units or turns are not among the results",
  }),
}).meta({ id: "ExplainRecallBody" });
export type ExplainRecallBody = z.infer<typeof ExplainRecallBody>;

export const BatchRecallBody = z.strictObject({
  queries: z.array(RecallBody).min(1).max(BATCH_QUERIES_MAX),
}).meta({ id: "BatchRecallBody" });
export type BatchRecallBody = z.infer<typeof BatchRecallBody>;

export const RECALL_TIERS = ["hot", "lexical", "semantic", "graph", "temporal"] as const;
export const RecallTier = z.enum(RECALL_TIERS).meta({ id: "RecallTier" });
export type RecallTier = z.infer<typeof RecallTier>;

/** A turn before or after a turn that was found. */
export const RecallNeighbour = z.strictObject({
  id: Id,
  messageId: z.string(),
  offset: z.int().meta({ description: "-1: the turn before, 1: the turn after" }),
  role: z.string(),
  name: z.string().nullable(),
  text: z.string(),
  invisibleText: InvisibleText,
  occurredAt: Timestamp,
}).meta({ id: "RecallNeighbour" });
export type RecallNeighbour = z.infer<typeof RecallNeighbour>;

/** The newest statement about the same matter as a result. */
export const NewerStatement = z.strictObject({
  id: Id.meta({ description: "The fact or turn" }),
  sessionId: Id.optional().meta({ description: "The session of a turn; absent: it is a fact" }),
  text: z.string().meta({ description: "What it says; of a long turn, the part about the matter" }),
  invisibleText: InvisibleText,
  occurredAt: Timestamp.meta({
    description: "When it began to be true or was said, as far as that is known, else recorded",
  }),
  ended: z.literal(true).optional().meta({
    description: "It says that what the result tells of has ended; absent: that is not known",
  }),
}).meta({
  id: "NewerStatement",
  description:
    "A later statement that is likely about the same matter as the result. It may correct it, add to it or repeat it: it is no verdict, and the result stays in force",
});
export type NewerStatement = z.infer<typeof NewerStatement>;

const resultShape = {
  id: Id,
  type: Kind,
  text: z.string().meta({ description: "What a turn says; of a unit, the text by which it is found" }),
  invisibleText: InvisibleText,
  score: z.number().min(0).max(1).meta({
    description: "The probability that the result is relevant; comparable across types and queries",
  }),
  tier: RecallTier.meta({ description: "The tier that found it" }),
  status: z.string().meta({ description: "The state of the unit; of a turn: `active`" }),
  contested: z.boolean().meta({ description: "It contradicts another fact in force, and waits for review" }),
  stale: Stale,
  attribution: Attribution,
  trustScore: TrustScore,
  sensitivity: Sensitivity,
  pinned: z.boolean(),
  occurredAt: Timestamp.nullable().meta({ description: "When it happened or was said; null: not known" }),
  validFrom: Timestamp.nullable().meta({ description: "Of facts: when it began to be true; null: not known" }),
  validTo: Timestamp.nullable().meta({
    description: "Of facts: when it stopped being true, exclusive; null: not known to have ended",
  }),
  citations: z.array(Citation).meta({ description: "The messages that it comes from" }),
  entityIds: z.array(Id).meta({ description: "Entities that it mentions" }),
  sessionId: Id.optional().meta({ description: "Of turns: the session" }),
  messageId: z.string().optional().meta({ description: "Turns only: the id that the caller gave the message" }),
  role: z.string().optional().meta({ description: "Of turns" }),
  name: z.string().optional().meta({ description: "Of turns: who spoke" }),
  tags: z.array(z.string()).meta({ description: "Labels of the caller" }),
  outdatedBy: Id.optional().meta({
    description:
      "The fact that is true instead of this one at the time asked about: it replaced it, it is bounded and interrupts it or, where nobody says how many values the predicate has, it is newer and says something else. `validTo` says when this one ended",
  }),
  newer: NewerStatement.optional().meta({
    description:
      "What was likely said later about the same matter, as far as the reader may see it and the filters let it through, whether or not the query found it. Read both: an earlier statement may be the true one",
  }),
  neighbours: z.array(RecallNeighbour).optional().meta({ description: 'With `include: ["neighbours"]`, for turns' }),
};

export const RecallResult = z.strictObject(resultShape).meta({ id: "RecallResult" });
export type RecallResult = z.infer<typeof RecallResult>;

const TierReport = z.strictObject({
  tier: RecallTier,
  candidates: z.int().min(0),
  durationMs: z.number().min(0),
}).meta({ id: "RecallTierReport" });
export type TierReport = z.infer<typeof TierReport>;

/** How a recall went, for people who look into it. */
export const RecallTrace = z.strictObject({
  terms: z.array(z.string()).meta({ description: "Terms that were looked up, in the form of the index" }),
  unknownTerms: z.array(z.string()).meta({ description: "Terms that no text contains" }),
  substitutes: z.record(z.string(), z.array(z.string())).meta({
    description: "Similar spellings that were used instead of them",
  }),
  people: z.array(z.string()).meta({ description: "Speakers named in the query" }),
  names: z.array(z.string()).optional().meta({ description: 'With `match: "named"`: the names in the query' }),
  windows: z.array(z.strictObject({ from: Timestamp, to: Timestamp })).meta({
    description: "Dates named in the query",
  }),
  candidates: z.int().min(0),
  eligible: z.int().min(0).meta({ description: "Candidates that passed the filters" }),
  relevant: z.int().min(0).meta({ description: "Results above the relevance cut" }),
  roundTrips: z.int().min(0),
}).meta({ id: "RecallTrace" });
export type RecallTrace = z.infer<typeof RecallTrace>;

const replyShape = {
  tiers: z.array(TierReport).meta({ description: "The tiers that searched, and how long they took" }),
  usage: z.strictObject({ tokens: z.int().min(0), durationMs: z.number().min(0) }).meta({ id: "RecallUsage" }),
  evidenceConfidence: z.number().min(0).max(1).meta({
    description:
      'How likely it is that the answer is among the results; when low, "I don\'t know" is the honest answer',
  }),
  traceId: z.string().meta({ description: "For the logs of the service" }),
  trace: RecallTrace.optional(),
};

export const RecallReply = z.strictObject({
  results: z.array(RecallResult).meta({ description: "The most relevant first" }),
  pinned: z.array(RecallResult).meta({
    description: "Pinned units that passed the filters. Always returned, apart from the results",
  }),
  ...replyShape,
}).meta({ id: "RecallReply", description: "What was found, best first, and how likely it answers the query" });
export type RecallReply = z.infer<typeof RecallReply>;

const ArmScore = z.strictObject({
  arm: RecallTier,
  rank: z.int().min(1),
  score: z.number(),
}).meta({ id: "RecallArmScore" });

/** A step of the graph tier's way from an entity that the query names to a result. */
const GraphStep = z.strictObject({
  from: Id.meta({ description: "The entity or other unit at which the step starts" }),
  via: z.string().meta({
    description: "A relation's verb; `mention`: a text mentions both; `evidence`: the unit supports the relation",
  }),
  to: Id.nullable().meta({ description: "The unit at which the step ends; null: the result itself" }),
}).meta({ id: "RecallGraphStep" });

/** Where a result's score comes from. */
export const ScoreDetails = z.strictObject({
  arms: z.array(ArmScore).meta({ description: "Rank and score in each tier that found it" }),
  fusion: z.number().meta({
    description: "The score by which results are ordered: the ranker's, plus what other tiers add",
  }),
  boosts: RecallBoosts,
  path: z.array(GraphStep).optional().meta({ description: "The strongest path by which the graph tier found it" }),
}).meta({ id: "RecallScoreDetails" });
export type ScoreDetails = z.infer<typeof ScoreDetails>;

export const ExplainedResult = z.strictObject({
  ...resultShape,
  scoreDetails: ScoreDetails,
  why: z.string(),
}).meta({ id: "ExplainedRecallResult" });
export type ExplainedResult = z.infer<typeof ExplainedResult>;

export const WhyNot = z.strictObject({
  id: Id,
  reason: z.enum([
    "returned",
    "pinned",
    "not_found",
    "filtered",
    "not_matched",
    "cut",
    "beyond_limit",
    "no_room",
    "not_named",
  ]),
  explanation: z.string(),
  rank: z.int().min(1).optional(),
}).meta({ id: "RecallWhyNot" });
export type WhyNot = z.infer<typeof WhyNot>;

export const ExplainRecallReply = z.strictObject({
  results: z.array(ExplainedResult),
  pinned: z.array(RecallResult),
  whyNot: z.array(WhyNot),
  ...replyShape,
}).meta({
  id: "ExplainRecallReply",
  description: "What was found, where each score comes from, and why other units were not found",
});
export type ExplainRecallReply = z.infer<typeof ExplainRecallReply>;

export const BatchRecallReply = z.strictObject({
  recalls: z.array(RecallReply).meta({ description: "One for each query, in the order of the queries" }),
}).meta({ id: "BatchRecallReply", description: "The replies, in the order of the queries" });
export type BatchRecallReply = z.infer<typeof BatchRecallReply>;
