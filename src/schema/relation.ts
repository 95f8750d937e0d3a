/**
 * Relations between knowledge units of any types. The relation's verb, one of nine, says how its source relates to its
 * target.
 */
import { z } from "zod";
import {
  Attribution,
  EndInput,
  Flag,
  Id,
  JsonValue,
  ListQuery,
  Metadata,
  pageOf,
  repeated,
  Sensitivity,
  Share,
  ShareParameter,
  Tag,
  Tags,
  TagsMatch,
  Timestamp,
  TimestampInput,
  wholeNumber,
} from "./common.ts";
import { LINKS_MAX } from "./unit.ts";

interface VerbRule {
  /** What the source does to the target. */
  readonly description: string;
  /** How it reads from the source to the target, and from the target to the source. */
  readonly reading: string;
  readonly inverse: string;
  /** It says the same in both directions: the ends have no order. */
  readonly symmetric: boolean;
  /** What holds from A to B and from B to C holds from A to C. */
  readonly transitive: boolean;
  /** The service refuses a relation that would close a cycle among relations of this verb that are valid at the same time. */
  readonly acyclic: boolean;
}

/** The nine verbs. */
export const VERBS = {
  supports: {
    description: "The source is a reason to believe the target",
    reading: "supports",
    inverse: "is supported by",
    symmetric: false,
    transitive: false,
    acyclic: false,
  },
  contradicts: {
    description: "Both cannot be true at the same time",
    reading: "contradicts",
    inverse: "contradicts",
    symmetric: true,
    transitive: false,
    acyclic: false,
  },
  supersedes: {
    description:
      "The source replaces the target. Between two facts, or two decisions, the target becomes `superseded`; archiving the relation brings it back into force. Between other units, and in a hyperedge, it changes neither",
    reading: "supersedes",
    inverse: "is superseded by",
    symmetric: false,
    transitive: true,
    acyclic: true,
  },
  derived_from: {
    description: "The source was derived from the target",
    reading: "is derived from",
    inverse: "is the source of",
    symmetric: false,
    transitive: true,
    acyclic: true,
  },
  causes: {
    description: "The source causes the target. Cycles are feedback and allowed",
    reading: "causes",
    inverse: "is caused by",
    symmetric: false,
    transitive: true,
    acyclic: false,
  },
  precedes: {
    description: "The source precedes the target in time or order",
    reading: "precedes",
    inverse: "follows",
    symmetric: false,
    transitive: true,
    acyclic: true,
  },
  part_of: {
    description: "The source is a part or member of the target",
    reading: "is part of",
    inverse: "has as a part",
    symmetric: false,
    transitive: true,
    acyclic: true,
  },
  about: {
    description: "The source is about the target",
    reading: "is about",
    inverse: "is the subject of",
    symmetric: false,
    transitive: false,
    acyclic: false,
  },
  related_to: {
    description: "The two are related in a way that no other verb expresses",
    reading: "is related to",
    inverse: "is related to",
    symmetric: true,
    transitive: false,
    acyclic: false,
  },
} as const satisfies Record<string, VerbRule>;

export type Verb = keyof typeof VERBS;
export const VERB_NAMES = Object.keys(VERBS) as [Verb, ...Verb[]];
export const Verb = z.enum(VERB_NAMES).meta({ id: "RelationVerb" });
export const Verbs = repeated(Verb, VERB_NAMES.length).meta({ description: "May be repeated. Default: all nine" });

export const RelationVerbInfo = z.strictObject({
  verb: Verb,
  description: z.string(),
  reading: z.string().meta({ description: "From the source to the target" }),
  inverse: z.string().meta({ description: "From the target to the source" }),
  symmetric: z.boolean().meta({ description: "It means the same in both directions" }),
  transitive: z.boolean().meta({ description: "Transitive: from A to B and B to C follows A to C" }),
  acyclic: z.boolean().meta({ description: "A relation that would close a cycle is refused" }),
}).meta({ id: "RelationVerbInfo" });
export const ListVerbsQuery = ListQuery.extend({
  order: z.enum(["asc", "desc"]).default("asc").meta({ description: "`asc`: as the enumeration of verbs has them" }),
});
export type ListVerbsQuery = z.infer<typeof ListVerbsQuery>;
export const RelationVerbList = pageOf(RelationVerbInfo).meta({
  id: "RelationVerbList",
  description: "The verbs of relations",
});
export type RelationVerbList = z.infer<typeof RelationVerbList>;

export const PARTICIPANTS_MIN = 3;
export const PARTICIPANTS_MAX = 16;
export const RELATION_BATCH_MAX = 500;

const Role = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, "must be a word of lower-case letters, digits and _").meta({
  description:
    "The edge leads from `source` to the others and from the others to `target`; any other role has no direction",
  examples: ["source", "witness"],
});
export const Participant = z.strictObject({ role: Role, id: Id }).meta({ id: "Participant" });
export type Participant = z.infer<typeof Participant>;

export const RelationStatus = z.enum(["active", "archived"]).meta({ id: "RelationStatus" });
export type RelationStatus = z.infer<typeof RelationStatus>;

const EvidenceIds = z.array(Id).max(LINKS_MAX);

export const Relation = z.strictObject({
  id: Id,
  version: z.int().min(1),
  status: RelationStatus,
  verb: Verb,
  sourceId: Id.nullable().meta({
    description: "Null for a hyperedge. For a merged entity: the entity that it was merged into",
  }),
  targetId: Id.nullable().meta({ description: "Null for a hyperedge" }),
  participants: z.array(Participant).nullable().meta({ description: "For a hyperedge; null if there are two ends" }),
  weight: Share.meta({ description: "How strong the relation is" }),
  confidence: Share,
  attribution: Attribution,
  trustScore: z.int().min(0).max(100),
  sensitivity: Sensitivity.meta({ description: "At least that of each end" }),
  stale: z.boolean().meta({ description: "Something in `evidenceIds` was superseded, retracted or erased" }),
  validFrom: Timestamp.nullable(),
  validTo: Timestamp.nullable(),
  evidenceIds: z.array(Id),
  tags: z.array(z.string()),
  metadata: z.record(z.string(), JsonValue),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  createdBy: z.string(),
}).meta({ id: "Relation", description: "A relation between two units" });
export type Relation = z.infer<typeof Relation>;
export const RelationPage = pageOf(Relation).meta({ id: "RelationPage" });

const inOrder = (
  { validFrom, validTo }: { validFrom?: string | null | undefined; validTo?: string | null | undefined },
) => validFrom == null || validTo == null || Date.parse(validFrom) <= Date.parse(validTo);
const IN_ORDER = { message: "must not be before validFrom", path: ["validTo"] };

export const CreateRelationBody = z.strictObject({
  verb: Verb,
  sourceId: Id.optional().meta({ description: "A unit of any type; with `targetId`, instead of `participants`" }),
  targetId: Id.optional(),
  participants: z.array(Participant).min(PARTICIPANTS_MIN).max(PARTICIPANTS_MAX).optional().meta({
    description: "A hyperedge: three to sixteen different units, instead of `sourceId` and `targetId`",
  }),
  weight: Share.default(1),
  confidence: Share.default(0.8),
  attribution: Attribution.default("agent_stated").meta({
    description: "Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`",
  }),
  sensitivity: Sensitivity.optional().meta({
    description: "At most the key's clearance; raised to that of the most sensitive end. Default: `internal`",
  }),
  validFrom: TimestampInput.optional().meta({ description: "When it begins to be true in the world" }),
  validTo: EndInput.optional().meta({ description: "When it stops being true in the world, exclusive" }),
  evidenceIds: EvidenceIds.default([]).meta({ description: "Units that support the relation" }),
  tags: Tags.default([]),
  metadata: Metadata.default({}),
}).superRefine(({ sourceId, targetId, participants }, issues) => {
  const refuse = (path: (string | number)[], message: string) => issues.addIssue({ code: "custom", path, message });
  if (participants === undefined) {
    if (sourceId === undefined) refuse(["sourceId"], "is required without participants");
    if (targetId === undefined) refuse(["targetId"], "is required without participants");
    if (sourceId !== undefined && sourceId === targetId) refuse(["targetId"], "must be another unit than the source");
    return;
  }
  if (sourceId !== undefined) refuse(["sourceId"], "must not be given with participants");
  if (targetId !== undefined) refuse(["targetId"], "must not be given with participants");
  for (const [i, { id }] of participants.entries()) {
    if (participants.findIndex((other) => other.id === id) < i) refuse(["participants", i, "id"], "is there already");
  }
}).refine(inOrder, IN_ORDER).meta({ id: "CreateRelationBody" });
export type CreateRelationBody = z.infer<typeof CreateRelationBody>;

export const CreateRelationBatchBody = z.strictObject({
  relations: z.array(CreateRelationBody).min(1).max(RELATION_BATCH_MAX),
}).meta({ id: "CreateRelationBatchBody" });
export type CreateRelationBatchBody = z.infer<typeof CreateRelationBatchBody>;

export const RelationBatchResult = z.strictObject({
  index: z.int().min(0),
  status: z.int().meta({ description: "201 created, 200 it existed already, otherwise the status of the error" }),
  relation: Relation.optional(),
  error: z.strictObject({
    code: z.string(),
    message: z.string(),
    errors: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
  }).optional(),
}).meta({ id: "RelationBatchResult" });
export type RelationBatchResult = z.infer<typeof RelationBatchResult>;
export const RelationBatchReply = z.strictObject({
  created: z.int().min(0),
  found: z.int().min(0),
  refused: z.int().min(0),
  results: z.array(RelationBatchResult).meta({ description: "In the order of the request" }),
}).meta({ id: "RelationBatchReply", description: "The outcome of each relation, in the order of the request" });
export type RelationBatchReply = z.infer<typeof RelationBatchReply>;

export const UpdateRelationBody = z.strictObject({
  status: z.literal("active").optional().meta({ description: "Restores an archived relation" }),
  weight: Share.optional(),
  confidence: Share.optional(),
  attribution: Attribution.optional(),
  sensitivity: Sensitivity.optional(),
  validFrom: TimestampInput.nullable().optional(),
  validTo: EndInput.nullable().optional(),
  evidenceIds: EvidenceIds.optional().meta({ description: "Replaces the whole value" }),
  tags: Tags.optional(),
  metadata: Metadata.optional().meta({ description: "Replaces the whole value" }),
  stale: z.literal(false).optional().meta({
    description: "Affirms that the relation holds although its evidence does not any more",
  }),
}).refine((body) => Object.keys(body).length > 0, "must change something").refine(inOrder, IN_ORDER)
  .meta({ id: "UpdateRelationBody" });
export type UpdateRelationBody = z.infer<typeof UpdateRelationBody>;

export const ListRelationsQuery = ListQuery.extend({
  id: Id.optional().meta({ description: "Relations with this unit at any end" }),
  sourceId: Id.optional().meta({ description: "Relations with this unit as the source, or in the role `source`" }),
  targetId: Id.optional().meta({ description: "Relations with this unit as the target, or in the role `target`" }),
  verb: Verbs.optional(),
  status: repeated(RelationStatus, 2).default(["active"]).meta({ description: "May be repeated. Default: `active`" }),
  asOf: TimestampInput.optional().meta({ description: "Relations that are true in the world at this time" }),
  stale: Flag.optional().meta({ description: "`true`: only stale ones. `false`: only others" }),
  minTrust: wholeNumber(0, 100).optional().meta({ description: "The least trust score" }),
  minWeight: ShareParameter.optional().meta({ description: "The least weight" }),
  tags: repeated(Tag, 50).optional().meta({ description: "May be repeated" }),
  tagsMatch: TagsMatch,
});
export type ListRelationsQuery = z.infer<typeof ListRelationsQuery>;
