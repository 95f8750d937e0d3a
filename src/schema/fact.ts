/** Facts: statements with an optional triple and two time axes. */
import { z } from "zod";
import { CHANGES, RESPECTS } from "../language/claims/mod.ts";
import { FACT_TYPES } from "../language/fact_types.ts";
import {
  Attribution,
  EndInput,
  ExternalId,
  Flag,
  Id,
  ListQuery,
  MessageId,
  pageOf,
  repeated,
  Sensitivity,
  Tag,
  TagsMatch,
  textOf,
  Timestamp,
  TimestampInput,
  wholeNumber,
} from "./common.ts";
import {
  EntityIds,
  ErasureReceipt,
  ItemError,
  revisionShape,
  UNIT_BATCH_MAX,
  unitInputShape,
  unitPatchShape,
  unitShape,
} from "./unit.ts";

export const FactType = z.enum(FACT_TYPES).meta({ id: "FactType" });

export const FACT_STATUSES = ["active", "superseded", "retracted", "contested", "archived", "expired"] as const;
export const FactStatus = z.enum(FACT_STATUSES).meta({
  id: "FactStatus",
  description:
    "`active`: in force. `contested`: contradicts another fact in force and waits for review. `superseded`: was true until a newer fact replaced it; a fact that another one will replace on a later day is in force until that day. `retracted`: was wrong. `expired`: its `expiresAt` has passed. `archived`: deleted softly, can be restored",
});
export type FactStatus = z.infer<typeof FactStatus>;

export const STATEMENT_BYTES_MAX = 16_384;
const TERM_BYTES_MAX = 1_024;
const CITATIONS_MAX = 100;

const Statement = textOf(STATEMENT_BYTES_MAX);
const Term = textOf(TERM_BYTES_MAX);

/** The message that a fact comes from. */
export const Citation = z.strictObject({
  messageId: MessageId,
  sessionId: Id.optional(),
  quote: textOf(STATEMENT_BYTES_MAX).optional(),
}).meta({ id: "Citation" });
export type Citation = z.infer<typeof Citation>;
const Citations = z.array(Citation).max(CITATIONS_MAX);

/** What the rules read in a statement whose author gives no subject, predicate and object. */
export const FactClaim = z.strictObject({
  subject: z.string().meta({ description: "`user`: who speaks, if the statement names nobody" }),
  respect: z.enum(RESPECTS),
  predicate: z.string().meta({ description: "In its normal form, such as `lives in`" }),
  object: z.string().meta({ description: "Empty: whatever the value is" }),
  polarity: z.enum(["positive", "negative"]).meta({ description: "`negative`: the statement denies it" }),
  change: z.enum(CHANGES).optional().meta({ description: "How the statement says that something has changed" }),
  from: z.string().optional().meta({ description: "The value that held before, if the statement names it" }),
  confidence: z.number().min(0).max(1),
  inferredBy: z.enum(["rules"]),
}).meta({ id: "FactClaim" });
export type FactClaim = z.infer<typeof FactClaim>;

export const Fact = z.strictObject({
  ...unitShape("fact", FactStatus),
  externalId: z.string().nullable().meta({ description: "The name that a caller's own system has for it" }),
  statement: z.string().meta({ description: "The fact as a sentence" }),
  subject: z.string().nullable().meta({ description: "Of the triple, as its author gives it; null: not given" }),
  predicate: z.string().nullable().meta({ description: "Of the triple" }),
  object: z.string().nullable().meta({ description: "Of the triple" }),
  exclusive: z.boolean().nullable().meta({
    description:
      "Whether its predicate has one value at a time, as its author says; null: as the workspace's settings or the defaults say",
  }),
  claims: z.array(FactClaim).meta({
    description:
      "What the service reads in the statement; empty if the author gives a triple or a part of it. A claim that says that something has changed supersedes what it says has ended",
  }),
  factType: FactType,
  validFrom: Timestamp.nullable().meta({ description: "When it began to be true in the world; null: not known" }),
  validTo: Timestamp.nullable().meta({
    description: "When it stopped being true, exclusive; null: not known to have ended",
  }),
  recordedAt: Timestamp.meta({ description: "When this service first knew it" }),
  retractedAt: Timestamp.nullable().meta({ description: "When it was declared wrong" }),
  occurredAt: Timestamp.nullable().meta({ description: "When what it tells of happened; null: not known" }),
  expiresAt: Timestamp.nullable().meta({ description: "When it becomes `expired` by itself; null: never" }),
  supersedes: Id.nullable().meta({ description: "The fact that it replaced" }),
  supersededBy: Id.nullable().meta({
    description: "The fact that replaced it or, if `validTo` lies ahead, will replace it then",
  }),
  entityIds: z.array(Id).meta({ description: "Entities that it mentions" }),
  citations: z.array(Citation).meta({ description: "The messages that it comes from" }),
  corroborationCount: z.int().min(0).meta({ description: "How often somebody stated the same again" }),
}).meta({ id: "Fact", description: "A fact: a statement with two time axes" });
export type Fact = z.infer<typeof Fact>;

interface Validity {
  readonly validFrom?: string | null | undefined;
  readonly validTo?: string | null | undefined;
}

function isOrdered({ validFrom, validTo }: Validity): boolean {
  return validFrom == null || validTo == null || Date.parse(validFrom) <= Date.parse(validTo);
}
const ORDERED = { message: "must not be before validFrom", path: ["validTo"] };

const NoClaims = z.array(FactClaim).max(0).meta({
  description:
    "Only empty: the statement claims nothing, whatever the service reads in it. To correct a claim, give subject, predicate and object",
});

const Exclusive = z.boolean().meta({
  description:
    "Whether the predicate has one value at a time. `false`: this fact and others about the same subject and predicate stand beside each other. Default: as the workspace's settings say; otherwise `lives in`, `works at`, `status`, `price` and the like have one value, `speaks`, `visited`, `child` and the like have several. Of any other predicate several values stand beside each other, and recall marks the older ones `outdatedBy`",
});

const BEGAN =
  'When the statement began to be true, of a state with a known beginning ("lives in Porto", since May): `asOf` before that time does not find it';
const HAPPENED =
  "When what it tells of happened or, of a state with no known beginning, was said: dates of a query match it, and of two statements the later one is the newer. It does not bound what is true at a time";

export const CreateFactBody = z.strictObject({
  ...unitInputShape,
  statement: Statement,
  subject: Term.optional(),
  predicate: Term.optional(),
  object: Term.optional().meta({
    description:
      "Facts contradict each other if they have the same subject and predicate, different objects and overlapping validity, and the predicate has one value at a time",
  }),
  exclusive: Exclusive.optional(),
  factType: FactType.default("fact"),
  validFrom: TimestampInput.optional().meta({ description: BEGAN }),
  validTo: EndInput.optional(),
  occurredAt: TimestampInput.optional().meta({ description: HAPPENED }),
  expiresAt: EndInput.optional(),
  entityIds: EntityIds.default([]),
  citations: Citations.default([]),
  externalId: ExternalId.optional().meta({
    description:
      "The name that the caller's own system has for it, unique in the workspace. A fact in force that says the same takes it, if it has none. Refused if another fact has it, in whatever state, or if the fact that says the same has another",
  }),
  supersedes: Id.optional().meta({
    description:
      "A fact in force that this one replaces. It becomes `superseded`, as if conflict detection had found it, and can be restored. It may be trusted more than this one only if the key has `memory:admin`. Without `sensitivity`, this fact is at least as sensitive",
  }),
}).refine(isOrdered, ORDERED).meta({ id: "CreateFactBody" });
export type CreateFactBody = z.infer<typeof CreateFactBody>;

const { stale: _, reason: __, ...upsertedShape } = unitPatchShape;
export const UpsertFactBody = z.strictObject({
  ...upsertedShape,
  statement: Statement,
  subject: Term.nullable().optional(),
  predicate: Term.nullable().optional(),
  object: Term.nullable().optional(),
  exclusive: Exclusive.nullable().optional(),
  factType: FactType.optional(),
  validFrom: TimestampInput.nullable().optional().meta({ description: BEGAN }),
  validTo: EndInput.nullable().optional(),
  occurredAt: TimestampInput.nullable().optional().meta({ description: HAPPENED }),
  expiresAt: EndInput.nullable().optional(),
  entityIds: EntityIds.optional(),
  citations: Citations.optional(),
  supersedes: Id.optional().meta({
    description:
      "A new fact replaces this one, as `supersedes` of `CreateFactBody` says. If the fact exists, it must have replaced this one already; otherwise the request is refused, and nothing changes. `POST /v1/memory/relations` with the verb `supersedes` lets an existing fact replace another",
  }),
}).refine(isOrdered, ORDERED).meta({
  id: "UpsertFactBody",
  description:
    "Members that it has replace those of the fact, null clears one, and members that it does not have stay as they are. A new fact gets the defaults of `CreateFactBody`",
});
export type UpsertFactBody = z.infer<typeof UpsertFactBody>;

export const UpdateFactBody = z.strictObject({
  ...unitPatchShape,
  statement: Statement.optional(),
  subject: Term.nullable().optional(),
  predicate: Term.nullable().optional(),
  object: Term.nullable().optional(),
  exclusive: Exclusive.nullable().optional(),
  claims: NoClaims.nullable().optional().meta({
    description: "Empty: it claims nothing. Null: the service reads the statement again",
  }),
  factType: FactType.optional(),
  validFrom: TimestampInput.nullable().optional().meta({ description: BEGAN }),
  validTo: EndInput.nullable().optional(),
  occurredAt: TimestampInput.nullable().optional().meta({ description: HAPPENED }),
  expiresAt: EndInput.nullable().optional(),
  entityIds: EntityIds.optional(),
  citations: Citations.optional(),
  status: z.literal("retracted").optional().meta({
    description: "Declares that the fact was wrong. Other states have operations of their own",
  }),
}).refine(isOrdered, ORDERED)
  .refine((body) => Object.keys(body).some((name) => name !== "reason"), { message: "must change something" })
  .meta({ id: "UpdateFactBody" });
export type UpdateFactBody = z.infer<typeof UpdateFactBody>;

/** What detecting conflicts found and did. */
export const FactConflict = z.strictObject({
  outcome: z.enum(["none", "corroborated", "superseded", "contested", "ordered", "interrupts", "outdates"]).meta({
    description:
      "`none`: no conflict. `corroborated`: the fact was known already. `superseded`: it replaces other facts, from its beginning on. `contested`: it contradicts a fact in force and waits for review. `ordered`: it is older than a known fact and holds until that one begins. `interrupts`: it is bounded on both sides and holds within facts that last longer, which hold before and after it. `outdates`: it says something else than older facts in the same respect, and not that anything has changed; all stay, recall marks the older ones, and a review item asks",
  }),
  factIds: z.array(Id).meta({ description: "The other facts concerned" }),
  reviewItemId: Id.nullable(),
}).meta({ id: "FactConflict" });
export type FactConflict = z.infer<typeof FactConflict>;

/** A fact as its writer gets it. */
export const WrittenFact = Fact.extend({
  duplicateOf: Id.nullable().meta({
    description: "A fact in force that says nearly the same. Only a suggestion: nothing was changed",
  }),
  conflict: FactConflict,
  leftOut: z.array(z.string()).optional().meta({
    description:
      "If the fact was known already: the members of the request that it did not take, such as `expiresAt` or `metadata.source`, because it says otherwise or has no room. Absent: it has taken all",
    examples: [["expiresAt"]],
  }),
}).meta({ id: "WrittenFact", description: "The fact as it was written, and the conflicts that were found" });
export type WrittenFact = z.infer<typeof WrittenFact>;

export const CreateFactBatchBody = z.strictObject({
  facts: z.array(CreateFactBody).min(1).max(UNIT_BATCH_MAX),
}).meta({ id: "CreateFactBatchBody" });
export type CreateFactBatchBody = z.infer<typeof CreateFactBatchBody>;

export const FactBatchResult = z.strictObject({
  index: z.int().min(0).meta({ description: "Index of the item in the request" }),
  status: z.int().meta({ description: "201 created, 200 known already, otherwise the status of the error" }),
  fact: WrittenFact.optional(),
  error: ItemError.optional(),
}).meta({ id: "FactBatchResult" });
export type FactBatchResult = z.infer<typeof FactBatchResult>;

export const FactBatchReply = z.strictObject({
  created: z.int().min(0),
  corroborated: z.int().min(0),
  refused: z.int().min(0),
  results: z.array(FactBatchResult),
}).meta({ id: "FactBatchReply", description: "The outcome of each fact, in the order of the request" });
export type FactBatchReply = z.infer<typeof FactBatchReply>;

export const ListFactsQuery = ListQuery.extend({
  status: repeated(FactStatus, FACT_STATUSES.length).optional().meta({
    description: "May be repeated. Default: `active` and `contested`, with `asOf` also `superseded` and `expired`",
  }),
  factType: repeated(FactType, FACT_TYPES.length).optional().meta({ description: "May be repeated" }),
  tags: repeated(Tag, 50).optional().meta({ description: "May be repeated" }),
  tagsMatch: TagsMatch,
  subject: Term.optional().meta({
    description:
      "Compared as names of entities are: case, spacing, the form of an apostrophe and unseen characters do not matter",
  }),
  predicate: Term.optional().meta({ description: "Compared like `subject`" }),
  attribution: repeated(Attribution, 9).optional().meta({ description: "May be repeated" }),
  sensitivity: repeated(Sensitivity, 4).optional().meta({ description: "May be repeated" }),
  minTrust: wholeNumber(0, 100).optional().meta({ description: "The least trust score" }),
  pinned: Flag.optional().meta({ description: "`true`: only pinned ones. `false`: only others" }),
  stale: Flag.optional().meta({ description: "`true`: only stale ones. `false`: only others" }),
  entityId: Id.optional().meta({
    description: "Facts whose text mentions this entity, or whose `entityIds` contain it",
  }),
  sessionId: Id.optional().meta({ description: "Facts that cite this session" }),
  messageId: MessageId.optional().meta({ description: "Facts that cite this message" }),
  externalId: ExternalId.optional().meta({ description: "The fact that has this name" }),
  asOf: TimestampInput.optional().meta({
    description: "Facts that were true in the world then, including those that have ended since",
  }),
  knownAt: TimestampInput.optional().meta({ description: "The facts as this service knew them at that time" }),
});
export type ListFactsQuery = z.infer<typeof ListFactsQuery>;
export const FactPage = pageOf(Fact).meta({ id: "FactPage" });

export const ExternalFactParams = z.strictObject({ externalId: ExternalId });

export const GetFactQuery = z.strictObject({
  knownAt: TimestampInput.optional().meta({ description: "The version that this service knew at that time" }),
});
export type GetFactQuery = z.infer<typeof GetFactQuery>;

/** One version of a fact, whole. */
export const FactRevision = z.strictObject({ ...revisionShape, fact: Fact }).meta({ id: "FactRevision" });
export type FactRevision = z.infer<typeof FactRevision>;
export const FactRevisionPage = pageOf(FactRevision).meta({ id: "FactRevisionPage" });

/** One step in the life of a fact, with who and why. */
export const FactHistoryEntry = z.strictObject({
  ...revisionShape,
  status: FactStatus,
  validFrom: Timestamp.nullable(),
  validTo: Timestamp.nullable(),
  changed: z.array(z.string()).meta({
    description: "Members that differ from the previous version; empty for the first",
  }),
}).meta({ id: "FactHistoryEntry" });
export type FactHistoryEntry = z.infer<typeof FactHistoryEntry>;
export const FactHistoryPage = pageOf(FactHistoryEntry).meta({ id: "FactHistoryPage" });
/** Oldest first by default, like a biography. */
export const FactHistoryQuery = ListQuery.extend({ order: z.enum(["asc", "desc"]).default("asc") });
export type FactHistoryQuery = z.infer<typeof FactHistoryQuery>;

/** A citation with the turn that it names, where this service still keeps it. */
export const ResolvedCitation = z.strictObject({
  messageId: z.string(),
  sessionId: Id.nullable(),
  quote: z.string().nullable(),
  turn: z.strictObject({
    id: Id,
    sessionId: Id,
    role: z.string(),
    name: z.string().nullable(),
    content: z.string(),
    occurredAt: Timestamp,
  }).nullable().meta({ description: "Null if no turn, or more than one, has this message id" }),
}).meta({ id: "ResolvedCitation" });
export type ResolvedCitation = z.infer<typeof ResolvedCitation>;
export const FactCitations = z.strictObject({
  factId: Id,
  data: z.array(ResolvedCitation),
  nextCursor: z.null(),
}).meta({ id: "FactCitations", description: "All citations of a fact: there are at most 100" });
export type FactCitations = z.infer<typeof FactCitations>;

/** Each variant has a name of its own: the document's discriminator maps to names. */
const ArchivedFact = z.strictObject({ mode: z.literal("archive"), fact: Fact }).meta({ id: "ArchivedFact" });
const ErasedFact = z.strictObject({ mode: z.literal("erase"), receipt: ErasureReceipt }).meta({ id: "ErasedFact" });
export const ForgetFactReply = z.discriminatedUnion("mode", [ArchivedFact, ErasedFact]).meta({
  id: "ForgetFactReply",
  description: "The archived fact, or the receipt of the erasure",
});
export type ForgetFactReply = z.infer<typeof ForgetFactReply>;
