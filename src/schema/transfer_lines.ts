/**
 * The lines between an export's header and its end, one schema for each kind. They hold what a resource is, and leave out
 * what follows from it: text for recall, hashes, index, embeddings, counts of turns.
 */
import { z } from "zod";
import {
  AgentId,
  Attribution,
  ExternalId,
  Id,
  JsonObject,
  JsonValue,
  MessageId,
  Metadata,
  SealedTags,
  Sensitivity,
  Share,
  textOf,
  Timestamp,
  TimeZone,
  UtcOffset,
} from "./common.ts";
import { Verb } from "./relation.ts";
import { REVIEW_STATUSES, ReviewKind } from "./review.ts";
import { ScratchpadContent, SESSION_TURNS_MAX, SessionStatus } from "./session.ts";
import { Delegation, DELEGATIONS_MAX, TaskKind, TaskStatus } from "./task.ts";
import { TurnContent, TurnRole } from "./turn.ts";
import { Ids, Origin, UnitType } from "./unit.ts";

const ACTOR_MAX = 200;
const Actor = z.string().min(1).max(ACTOR_MAX);
const COUNT_MAX = 2_000_000_000;
const Version = z.int().min(1).max(COUNT_MAX);
const ENTITY_IDS_MAX = 1_000;
const Score = z.int().min(0).max(100);
/** By reference: ids, numbers and short words, as the service itself wrote them. */
const REFERENCES_BYTES_MAX = 262_144;
const References = JsonObject.refine(
  (value) => JSON.stringify(value).length <= REFERENCES_BYTES_MAX,
  `must be at most ${REFERENCES_BYTES_MAX} characters as JSON`,
);

/** How a version came to be, and the interval in which it was in force. */
const Revision = z.strictObject({
  event: z.string().min(1).max(100),
  reason: z.string().max(2_000).nullable(),
  recordedAt: Timestamp,
  replacedAt: Timestamp.nullable(),
  changedBy: Actor,
});

/** What changes about a unit without a new version; as it is now, beside how it was when the version was written. */
const LiveMembers = z.strictObject({
  trustScore: Score,
  trustCap: Score,
  worth: Share,
  stale: z.boolean(),
  entityIds: z.array(Id).max(ENTITY_IDS_MAX),
  corroborationCount: z.int().min(0).max(COUNT_MAX),
});
export type LiveMembers = z.infer<typeof LiveMembers>;

/** One version of a unit of any type; `body` is the typed rest. */
export const UnitLine = z.strictObject({
  kind: UnitType,
  id: Id,
  version: Version,
  revision: Revision,
  status: z.string().min(1).max(50),
  attribution: Attribution,
  trustScore: Score,
  trustCap: Score,
  confidence: Share,
  sensitivity: Sensitivity,
  tags: SealedTags,
  metadata: Metadata,
  worth: Share,
  pinned: z.boolean(),
  origin: Origin.extend({ instance: z.string().min(1).max(200) }),
  derivedFrom: Ids,
  stale: z.boolean(),
  validFrom: Timestamp.nullable(),
  validTo: Timestamp.nullable(),
  recordedAt: Timestamp,
  retractedAt: Timestamp.nullable(),
  occurredAt: Timestamp.nullable(),
  expiresAt: Timestamp.nullable(),
  entityIds: z.array(Id).max(ENTITY_IDS_MAX),
  corroborationCount: z.int().min(0).max(COUNT_MAX),
  live: LiveMembers.nullable().meta({ description: "Null: nothing changed since the version was written" }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  createdBy: Actor,
  body: JsonObject,
}).refine((line) => line.validFrom === null || line.validTo === null || line.validFrom <= line.validTo, {
  message: "must not be before validFrom",
  path: ["validTo"],
});
export type UnitLine = z.infer<typeof UnitLine>;

const ENDS_MIN = 2;
const ENDS_MAX = 16;

/** A relation with its ends in their places; its sensitivity is what its author asked for, and counts as at least theirs. */
export const RelationLine = z.strictObject({
  kind: z.literal("relation"),
  id: Id,
  version: Version,
  status: z.enum(["active", "archived"]),
  verb: Verb,
  isHyper: z.boolean(),
  ends: z.array(z.strictObject({ role: z.string().min(1).max(64), id: Id })).min(ENDS_MIN).max(ENDS_MAX),
  weight: Share,
  confidence: Share,
  attribution: Attribution,
  trustScore: Score,
  sensitivity: Sensitivity,
  stale: z.boolean(),
  validFrom: Timestamp.nullable(),
  validTo: Timestamp.nullable(),
  evidenceIds: Ids,
  tags: SealedTags,
  metadata: Metadata,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  createdBy: Actor,
}).refine((line) => line.validFrom === null || line.validTo === null || line.validFrom <= line.validTo, {
  message: "must not be before validFrom",
  path: ["validTo"],
}).refine((line) => new Set(line.ends.map((end) => end.id)).size === line.ends.length, {
  message: "must be different units",
  path: ["ends"],
}).refine((line) => line.isHyper ? line.ends.length > ENDS_MIN : isBinary(line.ends), {
  message: "must be a source and a target, or three and more participants",
  path: ["ends"],
});
export type RelationLine = z.infer<typeof RelationLine>;

function isBinary(ends: readonly { readonly role: string }[]): boolean {
  return ends.length === ENDS_MIN && ends[0]!.role === "source" && ends[1]!.role === "target";
}

export const SessionLine = z.strictObject({
  kind: z.literal("session"),
  id: Id,
  version: Version,
  status: SessionStatus,
  title: textOf(1_000).nullable(),
  agentId: AgentId.nullable(),
  externalId: ExternalId.nullable().optional(),
  sensitivity: Sensitivity,
  tags: SealedTags,
  metadata: Metadata,
  scratchpad: ScratchpadContent,
  scratchpadVersion: Version,
  timezone: TimeZone.nullable().optional(),
  startedAt: Timestamp,
  endedAt: Timestamp.nullable(),
  episodeId: Id.nullable(),
  collapse: References.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  createdBy: Actor,
});
export type SessionLine = z.infer<typeof SessionLine>;

/** A turn. Its sensitivity is its session's. */
export const TurnLine = z.strictObject({
  kind: z.literal("turn"),
  id: Id,
  version: Version,
  sessionId: Id,
  position: z.int().min(0).max(SESSION_TURNS_MAX - 1),
  messageId: MessageId,
  role: TurnRole,
  name: textOf(400).nullable(),
  content: TurnContent,
  pinned: z.boolean(),
  tags: SealedTags,
  metadata: Metadata,
  occurredAt: Timestamp,
  utcOffset: UtcOffset.nullable().optional(),
  recordedAt: Timestamp,
});
export type TurnLine = z.infer<typeof TurnLine>;

const RESULT_BYTES_MAX = 65_536;

export const TaskLine = z.strictObject({
  kind: z.literal("task"),
  id: Id,
  version: Version,
  taskKind: TaskKind,
  status: TaskStatus,
  statusReason: z.string().min(1).max(1_000).nullable(),
  title: textOf(1_000),
  description: textOf(16_384).nullable(),
  priority: z.int().min(0).max(3),
  agentId: AgentId.nullable(),
  isAgentClaimed: z.boolean(),
  leaseExpiresAt: Timestamp.nullable(),
  dueAt: Timestamp.nullable(),
  result: JsonValue.nullable().refine(
    (value) => new TextEncoder().encode(JSON.stringify(value)).byteLength <= RESULT_BYTES_MAX,
    `must be at most ${RESULT_BYTES_MAX} bytes as JSON`,
  ),
  delegations: z.array(Delegation).max(DELEGATIONS_MAX),
  sensitivity: Sensitivity,
  tags: SealedTags,
  metadata: Metadata,
  startedAt: Timestamp.nullable(),
  finishedAt: Timestamp.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  createdBy: Actor,
}).refine((line) => line.leaseExpiresAt === null || line.status === "in_progress", {
  message: "only a task in progress is leased",
  path: ["leaseExpiresAt"],
});
export type TaskLine = z.infer<typeof TaskLine>;

export const TaskDependencyLine = z.strictObject({
  kind: z.literal("task_dependency"),
  taskId: Id,
  dependsOn: Id,
});
export type TaskDependencyLine = z.infer<typeof TaskDependencyLine>;

export const EventLine = z.strictObject({
  kind: z.literal("event"),
  id: Id,
  type: z.string().min(1).max(200),
  agentId: AgentId.nullable(),
  sessionId: Id.nullable(),
  data: Metadata,
  sensitivity: Sensitivity,
  occurredAt: Timestamp,
  recordedAt: Timestamp,
  createdBy: Actor,
});
export type EventLine = z.infer<typeof EventLine>;

export const ReviewItemLine = z.strictObject({
  kind: z.literal("review_item"),
  id: Id,
  reviewKind: ReviewKind,
  status: z.enum(REVIEW_STATUSES),
  sensitivity: Sensitivity,
  subjectId: Id,
  otherId: Id.nullable(),
  detail: References,
  resolution: References.nullable(),
  createdAt: Timestamp,
  resolvedAt: Timestamp.nullable(),
  resolvedBy: Actor.nullable(),
}).refine((line) => (line.status === "open") === (line.resolution === null), {
  message: "is there exactly when the item is closed",
  path: ["resolution"],
});
export type ReviewItemLine = z.infer<typeof ReviewItemLine>;

/** What was erased. It holds no content. */
export const DeletionLine = z.strictObject({
  kind: z.literal("deletion"),
  id: Id,
  resourceType: z.string().min(1).max(50),
  originInstance: z.string().min(1).max(200),
  sensitivity: Sensitivity,
  erasedAt: Timestamp,
  erasedBy: Actor,
  receipt: References,
});
export type DeletionLine = z.infer<typeof DeletionLine>;
