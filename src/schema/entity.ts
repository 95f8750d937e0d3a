/** Entities: people, places, things that knowledge speaks of, found by name. */
import { z } from "zod";
import { Flag, Id, JsonValue, pageOf, repeated, textOf, Timestamp } from "./common.ts";
import { NAME_KEY_BYTES_MAX, nameKey } from "../language/names.ts";
import { ENTITY_TYPE_OTHER, entityTypeKey } from "./entity_type.ts";
import {
  CHANGES_SOMETHING,
  changesSomething,
  GetUnitQuery,
  unitInputShape,
  unitListQuery,
  unitPatchShape,
  unitShape,
} from "./unit.ts";

/** Types that callers are asked to use where they fit; any other word is a type too. */
export const USUAL_ENTITY_TYPES = [
  "person",
  "organization",
  "place",
  "product",
  "project",
  "event",
  "concept",
  "document",
  "technology",
  ENTITY_TYPE_OTHER,
] as const;

export const ENTITY_STATUSES = ["active", "merged", "archived"] as const;
export const EntityStatus = z.enum(ENTITY_STATUSES).meta({
  id: "EntityStatus",
  description:
    "`merged`: it was merged into the entity `mergedInto`. `archived`: deleted softly, can be restored. Recall returns only `active` entities",
});
export type EntityStatus = z.infer<typeof EntityStatus>;

const encoder = new TextEncoder();

/** A name by which an entity is found. */
export const EntityName = textOf(512).refine((name) => nameKey(name) !== "", "must have visible characters")
  .refine(
    (name) => encoder.encode(nameKey(name)).byteLength <= NAME_KEY_BYTES_MAX,
    `must be at most ${NAME_KEY_BYTES_MAX} bytes after normalisation (NFKC)`,
  );

export const EntityType = z.string().min(1).max(64).refine(
  (type) => /^[\p{L}\p{N}][\p{L}\p{M}\p{N} _.-]*$/u.test(type.trim()) && entityTypeKey(type) !== "",
  "must be a word or some, of letters and numbers",
).meta({
  description: `Common types: ${
    USUAL_ENTITY_TYPES.join(", ")
  }; any other word is allowed. Stored in lower case, words joined by \`_\``,
  examples: ["person"],
});

/** Aliases, drawers that a caller may give at once. */
export const ALIASES_MAX = 100;
export const DRAWERS_MAX = 50;
/** Aliases and drawers that an entity may have, and bytes of its attributes, when merges have added to it. */
export const STORED_ALIASES_MAX = 1_000;
export const STORED_DRAWERS_MAX = 200;
export const STORED_ATTRIBUTES_BYTES_MAX = 65_536;

const Aliases = z.array(EntityName).max(ALIASES_MAX).meta({ description: "Other names of the entity" });
export const ATTRIBUTES_BYTES_MAX = 16_384;
const Attributes = z.record(z.string().min(1).max(200), JsonValue).refine(
  (value) => encoder.encode(JSON.stringify(value)).byteLength <= ATTRIBUTES_BYTES_MAX,
  `must be at most ${ATTRIBUTES_BYTES_MAX} bytes as JSON`,
).meta({ description: "Known properties, by name; at most 16 KiB as JSON" });
/** A named group that entities are filed under. */
export const Drawer = z.string().min(1).max(64).refine((name) => name.trim() === name, "must not begin or end blank");
const Drawers = z.array(Drawer).max(DRAWERS_MAX);

export const Entity = z.strictObject({
  ...unitShape("entity", EntityStatus),
  canonicalName: z.string(),
  entityType: z.string(),
  aliases: z.array(z.string()),
  attributes: z.record(z.string(), JsonValue),
  drawers: z.array(z.string()).meta({ description: "Named groups that the entity is filed under" }),
  mergedInto: Id.nullable().meta({ description: "If merged: the entity that it was merged into" }),
  mentionCount: z.int().min(0).meta({ description: "Number of units and turns, visible to the key, that mention it" }),
  firstSeenAt: Timestamp.nullable().meta({ description: "When it was first mentioned; null: never" }),
  lastSeenAt: Timestamp.nullable(),
}).meta({ id: "Entity", description: "An entity: a person, a place, a thing" });
export type Entity = z.infer<typeof Entity>;
export const EntityPage = pageOf(Entity).meta({ id: "EntityPage" });

export const CreateEntityBody = z.strictObject({
  ...unitInputShape,
  canonicalName: EntityName,
  entityType: EntityType.default(ENTITY_TYPE_OTHER),
  aliases: Aliases.default([]),
  attributes: Attributes.default({}),
  drawers: Drawers.default([]),
}).meta({ id: "CreateEntityBody" });
export type CreateEntityBody = z.infer<typeof CreateEntityBody>;

/** An entity whose name is near another's, with the review that asks a person whether the two are one. */
export const NearEntity = z.strictObject({
  id: Id,
  canonicalName: z.string(),
  similarity: z.number().min(0).max(1),
  rule: z.string().meta({
    description:
      "Why the names are similar: `same_name`, `spelling`, `initials`, `acronym`, `numeronym`, `contained`, `short_form`, `plural`",
  }),
  reviewItemId: Id.nullable().meta({ description: "Null: a person has already decided about these two" }),
}).meta({ id: "NearEntity" });
export type NearEntity = z.infer<typeof NearEntity>;

export const FoundEntity = Entity.extend({
  created: z.boolean(),
  restored: z.boolean().meta({ description: "The entity was archived; this request restored it" }),
  matchedBy: z.enum(["name", "alias"]).nullable().meta({ description: "What matched; null for a new entity" }),
  keptAttributes: z.array(z.string()).meta({
    description: "Attributes that were not changed, because the entity is trusted more than this statement",
  }),
  nearDuplicates: z.array(NearEntity).meta({ description: "Entities that may be the same. Nothing was merged" }),
}).meta({ id: "FoundEntity", description: "The entity, new or found by one of its names" });
export type FoundEntity = z.infer<typeof FoundEntity>;

export const ENTITY_BATCH_MAX = 500;
export const CreateEntityBatchBody = z.strictObject({
  entities: z.array(CreateEntityBody).min(1).max(ENTITY_BATCH_MAX),
}).meta({ id: "CreateEntityBatchBody" });
export type CreateEntityBatchBody = z.infer<typeof CreateEntityBatchBody>;

export const EntityBatchResult = z.strictObject({
  index: z.int().min(0).meta({ description: "Index of the item in the request" }),
  status: z.int().meta({ description: "201 created, 200 found, otherwise the status of the error" }),
  entity: FoundEntity.optional(),
  error: z.strictObject({
    code: z.string(),
    message: z.string(),
    errors: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
  }).optional(),
}).meta({ id: "EntityBatchResult" });
export type EntityBatchResult = z.infer<typeof EntityBatchResult>;

export const EntityBatchReply = z.strictObject({
  created: z.int().min(0),
  found: z.int().min(0),
  refused: z.int().min(0),
  results: z.array(EntityBatchResult),
}).meta({ id: "EntityBatchReply", description: "The outcome of each entity, in the order of the request" });
export type EntityBatchReply = z.infer<typeof EntityBatchReply>;

export const UpdateEntityBody = z.strictObject({
  ...unitPatchShape,
  canonicalName: EntityName.optional().meta({
    description: "The previous name stays as an alias, unless `aliases` is given",
  }),
  entityType: EntityType.optional(),
  aliases: Aliases.optional().meta({ description: "Replaces the whole list" }),
  attributes: Attributes.optional().meta({ description: "Replaces all attributes" }),
  drawers: Drawers.optional().meta({ description: "Replaces the whole list" }),
  status: z.literal("active").optional().meta({ description: "`active` restores an archived unit" }),
}).refine(changesSomething, CHANGES_SOMETHING).meta({ id: "UpdateEntityBody" });
export type UpdateEntityBody = z.infer<typeof UpdateEntityBody>;

export const MERGE_MAX = 50;
/** For a merge: the entities to merge into this one. For undoing it: the entities to separate again. */
export const MergeEntityBody = z.strictObject({
  sourceIds: z.array(Id).min(1).max(MERGE_MAX),
  reason: z.string().min(1).max(1_000).optional().meta({ description: "Why; kept in the history" }),
}).meta({ id: "MergeEntityBody" });
export type MergeEntityBody = z.infer<typeof MergeEntityBody>;

export const MergedEntity = Entity.extend({
  merged: z.array(z.strictObject({ id: Id, version: z.int().min(1) })).meta({
    description: "The entities that this call merged; earlier merges are left out",
  }),
}).meta({ id: "MergedEntity", description: "The entity that remains, with what it took over" });
export type MergedEntity = z.infer<typeof MergedEntity>;

export const SeparatedEntity = Entity.extend({
  separated: z.array(Entity).meta({ description: "The entities that stand for themselves again" }),
}).meta({ id: "SeparatedEntity", description: "The entities after their separation" });
export type SeparatedEntity = z.infer<typeof SeparatedEntity>;

export const DrawerParams = z.strictObject({ id: Id, drawer: Drawer });

export const GetEntityQuery = GetUnitQuery.extend({
  follow: Flag.optional().meta({
    description:
      "For a merged entity: `true` (default) returns the entity that it was merged into, `false` the merged record itself",
  }),
});
export type GetEntityQuery = z.infer<typeof GetEntityQuery>;

export const ListEntitiesQuery = unitListQuery(EntityStatus, "`active`").extend({
  name: EntityName.optional().meta({ description: "Entities with this name or alias, after normalisation" }),
  q: EntityName.optional().meta({ description: "Entities with a name or alias that begins with this or is similar" }),
  entityType: repeated(EntityType, 20).optional().meta({ description: "May be repeated" }),
  drawer: Drawer.optional().meta({ description: "Entities in this drawer" }),
});
export type ListEntitiesQuery = z.infer<typeof ListEntitiesQuery>;
