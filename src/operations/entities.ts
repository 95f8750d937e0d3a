/** Entities: people, places, things, found or created by name. */
import * as entities from "../domain/kinds/entities/mod.ts";
import {
  CreateEntityBatchBody,
  CreateEntityBody,
  DrawerParams,
  Entity,
  ENTITY_BATCH_MAX,
  EntityBatchReply,
  EntityPage,
  FoundEntity,
  GetEntityQuery,
  ListEntitiesQuery,
  MERGE_MAX,
  MergedEntity,
  MergeEntityBody,
  SeparatedEntity,
  UpdateEntityBody,
} from "../schema/entity.ts";
import { UnitParams } from "../schema/unit.ts";
import { BATCH } from "./cost.ts";
import { forgetting, type LastingKindWords, listingRevisions, restoring } from "./kind.ts";
import { BATCH_BYTES_MAX, operation, Replied } from "./operation.ts";

const HOW_IT_IS_FOUND =
  "By its name, then by its aliases, after normalisation: Unicode NFKC, case folding, single spaces, what is not seen " +
  "left out; accents and a possessive `'s` count. Where nobody has the name, the only entity that has one of the " +
  "`aliases` given is it. One of type `other` takes the more precise type; of another precise type it is another " +
  "entity. The name of a merged entity finds the one that stands for it. An archived one is restored.";
const WHAT_IS_ADDED =
  "Aliases, attributes, drawers and tags given are added to the one that is found, as a revision where something " +
  "changes; an attribute that has another value is replaced unless the entity is trusted more (`keptAttributes`). What " +
  "adds more than drawers or tags makes it as sensitive as is said, and rest on `derivedFrom`. The other members are " +
  "for a new one. What is above the key's clearance is not found: another entity is made, within the clearance.";

/** Finds an entity by its name, or creates it. */
export const createEntity = operation({
  id: "createEntity",
  summary: "Find or create an entity",
  description: `${HOW_IT_IS_FOUND}\n\n${WHAT_IS_ADDED}`,
  scope: "memory:write",
  body: CreateEntityBody,
  status: 201,
  otherStatus: { status: 200, description: "The entity that was there" },
  reply: FoundEntity,
  versioned: true,
  errors: ["conflict"],
  example: {
    body: {
      canonicalName: "Acme Corporation",
      entityType: "organization",
      aliases: ["Acme Corp", "Acme"],
      attributes: { industry: "robotics", website: "https://acme.example" },
      drawers: ["customers"],
    },
  },
}, async (ctx, { body }) => {
  const entity = await entities.findOrCreateEntity(ctx, body);
  return new Replied(entity, entity.created ? 201 : 200);
});

/** Finds or creates entities in one transaction. */
export const createEntities = operation({
  id: "createEntities",
  summary: `Find or create up to ${ENTITY_BATCH_MAX} entities`,
  description:
    "In one transaction and in order: an entity is held against those before it in the batch too. Each has a result " +
    "of its own; one that is refused, such as for an unknown source, is left out and the others are stored. A body " +
    "that is not valid is refused as a whole, with the path of each fault.",
  scope: "memory:write",
  cost: BATCH,
  body: CreateEntityBatchBody,
  bodyBytesMax: BATCH_BYTES_MAX,
  reply: EntityBatchReply,
  errors: ["conflict"],
  example: {
    body: {
      entities: [
        { canonicalName: "Caroline", entityType: "person" },
        { canonicalName: "Kubernetes", entityType: "technology", aliases: ["k8s"] },
      ],
    },
  },
}, (ctx, { body }) => entities.findOrCreateBatch(ctx, body.entities));

/** Lists entities. */
export const listEntities = operation({
  id: "listEntities",
  summary: "List entities",
  description: "The newest first unless asked otherwise.",
  scope: "memory:read",
  query: ListEntitiesQuery,
  reply: EntityPage,
}, (ctx, { query }) => entities.listEntities(ctx, query));

/** Reads an entity. */
export const getEntity = operation({
  id: "getEntity",
  summary: "Read an entity",
  description:
    "In any state, or as it was known at a time. The id of a merged one answers the entity that stands for " +
    "it; with `follow=false`, and with `knownAt`, the record itself.",
  scope: "memory:read",
  params: UnitParams,
  query: GetEntityQuery,
  reply: Entity,
  versioned: true,
  errors: ["erased"],
}, (ctx, { params, query }) => entities.getEntity(ctx, params.id, query));

/** Revises an entity. */
export const updateEntity = operation({
  id: "updateEntity",
  summary: "Revise an entity",
  description:
    "Each change makes a revision; a patch that changes nothing makes none. The id of a merged one changes " +
    "the entity that stands for it. A name that another entity of the type and sensitivity has is refused (409): " +
    "merge the two instead.",
  scope: "memory:write",
  params: UnitParams,
  body: UpdateEntityBody,
  reply: Entity,
  versioned: true,
  errors: ["erased", "invalid_transition", "conflict"],
  example: { body: { attributes: { industry: "robotics" }, reason: "the website is gone" } },
}, (ctx, { params, body, expectedVersion }) => entities.updateEntity(ctx, params.id, body, expectedVersion));

/** Archives an entity. */
export const archiveEntity = operation({
  id: "archiveEntity",
  summary: "Archive an entity",
  description:
    "It leaves recall and lists and keeps its names: `PATCH` with `status: active` restores it, and so does " +
    "finding it by `POST`. An archived one is answered as it is.",
  scope: "memory:delete",
  params: UnitParams,
  reply: Entity,
  versioned: true,
  errors: ["erased", "invalid_transition"],
}, (ctx, { params, expectedVersion }) => entities.archiveEntity(ctx, params.id, expectedVersion));

/** Merges entities into one. */
export const mergeEntities = operation({
  id: "mergeEntities",
  summary: `Merge up to ${MERGE_MAX} entities into one`,
  description:
    "The entity of the path survives: it gets the others' names as aliases, their drawers and tags, and attributes " +
    "that it has not. It becomes as sensitive as the most sensitive of them, never more trusted. The others keep " +
    "their records, `merged`; their ids lead to the survivor wherever one is named, also when it is merged in turn. " +
    "What is merged into it already stays so. Of two merges that cross, the later one is refused (409).",
  scope: "memory:write",
  params: UnitParams,
  body: MergeEntityBody,
  reply: MergedEntity,
  versioned: true,
  errors: ["erased", "invalid_transition", "conflict", "version_mismatch"],
  example: { body: { sourceIds: ["0195c1a0-0000-7000-8000-000000000001"], reason: "one company, two spellings" } },
}, (ctx, { params, body, expectedVersion }) => entities.mergeEntities(ctx, params.id, body, expectedVersion));

/** Takes merges back. */
export const unmergeEntities = operation({
  id: "unmergeEntities",
  summary: "Take merges into an entity back",
  description:
    "The entities of `sourceIds` stand for themselves again, with their names, as they were. Where nothing has " +
    "changed the survivor since, it is as it was before the merge too; otherwise it gives back what they brought, as " +
    "far as that was not changed and no other merged one has it, and stays as sensitive as it is. Of a chain of " +
    "merges the last comes first.",
  scope: "memory:write",
  params: UnitParams,
  body: MergeEntityBody,
  reply: SeparatedEntity,
  versioned: true,
  errors: ["erased", "invalid_transition", "conflict", "version_mismatch"],
  example: { body: { sourceIds: ["0195c1a0-0000-7000-8000-000000000001"], reason: "two companies after all" } },
}, (ctx, { params, body, expectedVersion }) => entities.unmergeEntities(ctx, params.id, body, expectedVersion));

/** Files an entity under a drawer. */
export const fileEntity = operation({
  id: "fileEntity",
  summary: "File an entity under a drawer",
  description: "One that is there already stays as it is.",
  scope: "memory:write",
  params: DrawerParams,
  reply: Entity,
  versioned: true,
  errors: ["erased", "invalid_transition"],
}, (ctx, { params, expectedVersion }) => entities.fileEntity(ctx, params.id, params.drawer, true, expectedVersion));

/** Takes an entity out of a drawer. */
export const unfileEntity = operation({
  id: "unfileEntity",
  summary: "Take an entity out of a drawer",
  description: "One that is not in it stays as it is.",
  scope: "memory:write",
  params: DrawerParams,
  reply: Entity,
  versioned: true,
  errors: ["erased", "invalid_transition"],
}, (ctx, { params, expectedVersion }) => entities.fileEntity(ctx, params.id, params.drawer, false, expectedVersion));

/** What versions of an entity have: who mentions it, and what stands for it now, is no part of them. */
const EntityThen = Entity.omit({ mentionCount: true, firstSeenAt: true, lastSeenAt: true }).meta({ id: "EntityThen" });

const ENTITY: LastingKindWords = {
  kind: entities.ENTITIES,
  one: "Entity",
  article: "an entity",
  unit: Entity,
  unitThen: EntityThen,
  restoreDescription:
    "An archived one is active again, under its names. A merged one is brought back by undoing the merge.",
};

export const forgetEntity = forgetting(
  ENTITY,
  (ctx, _kind, id, body, expectedVersion) => entities.forgetEntity(ctx, id, body, expectedVersion),
  ["invalid_transition"],
);
export const restoreEntity = restoring(
  ENTITY,
  (ctx, _kind, id, expectedVersion) => entities.restoreEntity(ctx, id, expectedVersion),
);
export const listEntityRevisions = listingRevisions(ENTITY);
