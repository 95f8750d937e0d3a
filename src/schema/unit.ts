/** Schemas that all knowledge units share: facts, decisions, strategies, workflows, skills, episodes and entities. */
import { z } from "zod";
import {
  Attribution,
  Flag,
  Id,
  JsonValue,
  ListQuery,
  Metadata,
  repeated,
  Sensitivity,
  Share,
  Tag,
  Tags,
  TagsMatch,
  textOf,
  Timestamp,
  TimestampInput,
  UNIT_KINDS,
  wholeNumber,
} from "./common.ts";
import { InvisibleText } from "./invisible_text.ts";
import { NAME_KEY_BYTES_MAX, nameKey } from "../language/names.ts";
import type { UnitState } from "./unit_state.ts";

export type UnitType = keyof typeof UNIT_KINDS;
export const UNIT_TYPES = Object.keys(UNIT_KINDS) as [UnitType, ...UnitType[]];
export const UnitType = z.enum(UNIT_TYPES).meta({ id: "UnitType" });

/** Units that one request may create. */
export const UNIT_BATCH_MAX = 500;
/** Units that one unit may name in `derivedFrom`, `evidenceIds` or `entityIds`. */
export const LINKS_MAX = 100;

/** Aliases that one unit may have, and the length of one. */
export const UNIT_ALIASES_MAX = 20;
const ALIAS_CHARACTERS_MAX = 200;
const encoder = new TextEncoder();

/** Another name of a unit. Aliases are the same where names of entities are (`nameKey`). */
const UnitAlias = z.string().min(1).max(ALIAS_CHARACTERS_MAX)
  .refine((alias) => nameKey(alias) !== "", "must have visible characters")
  .refine(
    (alias) => encoder.encode(nameKey(alias)).byteLength <= NAME_KEY_BYTES_MAX,
    `must be at most ${NAME_KEY_BYTES_MAX} bytes after normalisation (NFKC)`,
  );
export const UnitAliases = z.array(UnitAlias).max(UNIT_ALIASES_MAX).meta({
  id: "UnitAliases",
  description:
    "Other names by which recall finds it, as if its text had them. They are not part of the `contentHash`. Two that differ only in case, spacing or unseen characters are one",
});

/** Where a unit came into being, and its id there. */
export const Origin = z.strictObject({
  instance: z.string().meta({ examples: ["instance:localhost"] }),
  id: Id,
}).meta({ id: "Origin" });

export const TrustScore = z.int().min(0).max(100).meta({
  id: "TrustScore",
  description: "The score of the attribution, but at most that of the least trusted unit it was derived from",
});
const Worth = Share.meta({
  id: "Worth",
  description: "How much it is worth keeping: from trust, use, feedback, corroboration and recency",
});
export const Stale = z.boolean().meta({
  id: "Stale",
  description:
    "Something that the unit rests on was superseded, retracted or erased, and nobody has affirmed the unit since. If very many units rest on one, the last of them become stale some seconds later",
});

/** The members of a unit of one type as the service shows it. */
export function unitShape<T extends UnitType, S extends z.ZodType<UnitState>>(type: T, status: S) {
  return {
    id: Id,
    type: z.literal(type),
    version: z.int().min(1).meta({ description: "Increases by one with each revision. Send it as `If-Match`" }),
    status,
    attribution: Attribution,
    trustScore: TrustScore,
    confidence: Share.meta({ description: "How certain its author is" }),
    sensitivity: Sensitivity,
    aliases: z.array(z.string()).meta({ description: "Other names by which recall finds it" }),
    tags: z.array(z.string()).meta({ description: "Labels of the caller" }),
    metadata: z.record(z.string(), JsonValue).meta({ description: "Free members of the caller" }),
    worth: Worth,
    pinned: z.boolean().meta({ description: "Recall returns it always, apart from the results" }),
    contentHash: z.string().meta({ description: "SHA-256 of the content, hex" }),
    origin: Origin,
    derivedFrom: z.array(Id).meta({ description: "The units that it was made from" }),
    invisibleText: InvisibleText,
    stale: Stale,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    createdBy: z.string().meta({ description: "Who created it, such as `key:<id>`" }),
  };
}

export const Ids = z.array(Id).max(LINKS_MAX);
/** A name or title. */
export const Name = textOf(1_024);
/** A member that consists of sentences. */
export const Prose = textOf(16_384);
export const EntityIds = Ids.meta({ description: "Entities that it mentions" });

/** What a caller may say about any unit that is created. */
export const unitInputShape = {
  attribution: Attribution.default("agent_stated").meta({
    description: "Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`",
  }),
  confidence: Share.default(0.8),
  sensitivity: Sensitivity.optional().meta({
    description: "At most the key's clearance. Default: `internal`, or that of its most sensitive source",
  }),
  aliases: UnitAliases.optional(),
  tags: Tags.default([]),
  metadata: Metadata.default({}),
  pinned: z.boolean().default(false),
  derivedFrom: Ids.default([]).meta({
    description: "Units that it was derived from. Its trust is at most that of the least trusted one",
  }),
};

export type UnitInput = z.infer<z.ZodObject<typeof unitInputShape>>;

/** What a caller may change about any unit. */
export const unitPatchShape = {
  attribution: Attribution.optional(),
  confidence: Share.optional(),
  sensitivity: Sensitivity.optional(),
  aliases: UnitAliases.optional().meta({ description: "Replaces the whole list" }),
  tags: Tags.optional(),
  metadata: Metadata.optional().meta({ description: "Replaces the whole value" }),
  pinned: z.boolean().optional(),
  derivedFrom: Ids.optional(),
  stale: z.literal(false).optional().meta({
    description: "Affirms that the unit holds although something it rests on does not any more",
  }),
  reason: z.string().min(1).max(1_000).optional().meta({ description: "Why; kept in the history" }),
};

export type UnitPatch = z.infer<z.ZodObject<typeof unitPatchShape>>;

/** A patch that says why and nothing else is refused. */
export function changesSomething(body: object): boolean {
  return Object.keys(body).some((name) => name !== "reason");
}
export const CHANGES_SOMETHING = { message: "must change something" };

/** Query parameters of every list of units of one type; `shown` are the states that it holds unless asked. */
export function unitListQuery<S extends z.ZodType>(status: S, shown: string) {
  return ListQuery.extend({
    status: repeated(status, 10).optional().meta({ description: `May be repeated. Default: ${shown}` }),
    tags: repeated(Tag, 50).optional().meta({ description: "May be repeated" }),
    tagsMatch: TagsMatch,
    attribution: repeated(Attribution, 9).optional().meta({ description: "May be repeated" }),
    sensitivity: repeated(Sensitivity, 4).optional().meta({ description: "May be repeated" }),
    minTrust: wholeNumber(0, 100).optional().meta({ description: "The least trust score" }),
    pinned: Flag.optional().meta({ description: "`true`: only pinned ones. `false`: only others" }),
    stale: Flag.optional().meta({ description: "`true`: only stale ones. `false`: only others" }),
    knownAt: TimestampInput.optional().meta({ description: "The units as this service knew them at that time" }),
  });
}
export type UnitListQuery = Omit<z.infer<ReturnType<typeof unitListQuery<z.ZodString>>>, "status"> & {
  readonly status?: readonly string[] | undefined;
};

export const GetUnitQuery = z.strictObject({
  knownAt: TimestampInput.optional().meta({ description: "The version that this service knew at that time" }),
});
export type GetUnitQuery = z.infer<typeof GetUnitQuery>;

/** The way to a revision: what made it, when, by whom, why. */
export const revisionShape = {
  version: z.int().min(1),
  event: z.string().meta({ description: "What created this version", examples: ["created", "updated", "superseded"] }),
  recordedAt: Timestamp,
  replacedAt: Timestamp.nullable().meta({ description: "Null for the version in force" }),
  changedBy: z.string(),
  reason: z.string().nullable(),
};

export const UnitParams = z.strictObject({ id: Id });

/** Why an item of a batch was refused. */
export const ItemError = z.strictObject({
  code: z.string(),
  message: z.string(),
  errors: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
}).meta({ id: "ItemError" });
export type ItemError = z.infer<typeof ItemError>;

export const ForgetBody = z.strictObject({
  mode: z.enum(["archive", "erase"]).meta({
    description: "`archive` can be undone. `erase` removes content, revisions, embedding and index for ever",
  }),
  cascade: z.boolean().default(false).meta({
    description:
      "With `erase`: also erases the units that were derived from it (`derivedFrom`, transitively), as far as the key sees them; more than 1,000 units are refused. Without `cascade` they become stale",
  }),
  reason: z.string().min(1).max(1_000).optional(),
}).refine((body) => body.mode === "erase" || !body.cascade, {
  message: "needs the mode erase",
  path: ["cascade"],
}).meta({ id: "ForgetBody" });
export type ForgetBody = z.infer<typeof ForgetBody>;

const ReceiptSignature = z.strictObject({
  alg: z.literal("Ed25519"),
  keyId: z.string().meta({ description: "The first 16 hex characters of the SHA-256 of the public key's SPKI" }),
  value: z.base64url().meta({
    description: "Signature over the canonical JSON (RFC 8785) of the receipt without `signature`, in base64url",
  }),
}).meta({ id: "ReceiptSignature", description: "Null if the instance has no signing key" });

/** What an erasure removed. It holds no content. */
export const ErasureReceipt = z.strictObject({
  id: Id,
  resourceType: z.string(),
  erasedAt: Timestamp,
  erasedBy: z.string(),
  reason: z.string().nullable(),
  removed: z.strictObject({
    revisions: z.int().min(0),
    texts: z.int().min(0).meta({ description: "Indexed texts with their embeddings" }),
    reviewItems: z.int().min(0),
    relations: z.int().min(0),
  }),
  derived: z.array(Id).optional().meta({
    description:
      "With `cascade`: the units that were erased with it. Each has a receipt of its own in the deletion log",
  }),
  staleDependants: z.int().min(0).meta({
    description: "Number of units that became stale immediately, as far as the key sees them",
  }),
  moreDependants: z.boolean().meta({ description: "More units become stale within seconds, in the background" }),
  instance: z.string().meta({ description: "The instance that erased it" }),
  signature: ReceiptSignature.nullable(),
}).meta({ id: "ErasureReceipt" });
export type ErasureReceipt = z.infer<typeof ErasureReceipt>;

/** Tasks and events cannot be archived: a task is cancelled instead, and an event is what happened. */
export const ForgetRecordBody = z.strictObject({
  mode: z.literal("erase").meta({ description: "Erases it for ever. Tasks and events cannot be archived" }),
  reason: z.string().min(1).max(1_000).optional(),
}).meta({ id: "ForgetRecordBody" });
export type ForgetRecordBody = z.infer<typeof ForgetRecordBody>;

export const ForgetRecordReply = z.strictObject({ mode: z.literal("erase"), receipt: ErasureReceipt }).meta({
  id: "ForgetRecordReply",
  description: "The receipt of the erasure",
});
export type ForgetRecordReply = z.infer<typeof ForgetRecordReply>;
