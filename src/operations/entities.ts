/** Entities: people, places, things, found or created by name. */
import * as create from "../domain/kinds/entities/create.ts";
import * as drawers from "../domain/kinds/entities/drawers.ts";
import * as kind from "../domain/kinds/entities/kind.ts";
import * as lifecycle from "../domain/kinds/entities/lifecycle.ts";
import * as merge from "../domain/kinds/entities/merge.ts";
import * as read from "../domain/kinds/entities/read.ts";
import * as unmerge from "../domain/kinds/entities/unmerge.ts";
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
import * as unit from "./kind.ts";
import { BATCH_BYTES_MAX, operation, Replied } from "./operation.ts";

const HOW_IT_IS_FOUND =
  "Finds an entity by its name, then by its aliases, after normalisation: Unicode NFKC, case folding, single spaces, invisible characters removed. Accents and a possessive `'s` make a difference. If nobody has the name, the only entity with one of the given `aliases` is found. An entity of the type `other` takes the more precise type of the request; two different precise types are two entities. The name of a merged entity finds the one that it was merged into. An archived entity is restored.";
const WHAT_IS_ADDED =
  "The given aliases, attributes, drawers and tags are added to the entity that is found, as a revision if something changes. An attribute with another value is replaced, unless the entity is trusted more (`keptAttributes`). Adding more than drawers or tags also raises its sensitivity to that of the request and makes it rest on `derivedFrom`. The other members apply to a new entity only. Entities above the key's clearance are not found: a new one is created within the clearance.";

/** Finds an entity by its name, or creates it. */
export const createEntity = operation({
  id: "createEntity",
  summary: "Find or create an entity",
  description: `${HOW_IT_IS_FOUND}\n\n${WHAT_IS_ADDED}`,
  scope: "memory:write",
  body: CreateEntityBody,
  status: 201,
  otherStatus: { status: 200, description: "The existing entity" },
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
  const entity = await create.findOrCreateEntity(ctx, body);
  return new Replied(entity, entity.created ? 201 : 200);
});

/** Finds or creates entities in one transaction. */
export const createEntities = operation({
  id: "createEntities",
  summary: `Find or create up to ${ENTITY_BATCH_MAX} entities`,
  description:
    "One transaction, in order: each entity is also compared with those before it in the batch. Each item has its own result. If one is refused, for example because of an unknown source, the others are still stored. An invalid body is refused as a whole, with the path of each fault.",
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
}, (ctx, { body }) => create.findOrCreateBatch(ctx, body.entities));

export const listEntities = operation({
  id: "listEntities",
  summary: "List entities",
  description: "Newest first by default.",
  scope: "memory:read",
  query: ListEntitiesQuery,
  reply: EntityPage,
}, (ctx, { query }) => read.listEntities(ctx, query));

/** Reads an entity. */
export const getEntity = operation({
  id: "getEntity",
  summary: "Read an entity",
  description:
    "Reads the entity in any state, or as it was known at a time. The id of a merged entity returns the one that it was merged into; with `follow=false` or `knownAt` it returns the merged record itself.",
  scope: "memory:read",
  params: UnitParams,
  query: GetEntityQuery,
  reply: Entity,
  versioned: true,
  errors: ["erased"],
}, (ctx, { params, query }) => read.getEntity(ctx, params.id, query));

/** Revises an entity. */
export const updateEntity = operation({
  id: "updateEntity",
  summary: "Revise an entity",
  description:
    "Each change creates a revision; a patch that changes nothing creates none. With the id of a merged entity, the one that it was merged into changes. If another entity of the same type and sensitivity already has the name, the request is refused (409): merge the two instead.",
  scope: "memory:write",
  params: UnitParams,
  body: UpdateEntityBody,
  reply: Entity,
  versioned: true,
  errors: ["erased", "invalid_transition", "conflict"],
  example: { body: { attributes: { industry: "robotics" }, reason: "the website is gone" } },
}, (ctx, { params, body, expectedVersion }) => read.updateEntity(ctx, params.id, body, expectedVersion));

/** Archives an entity. */
export const archiveEntity = operation({
  id: "archiveEntity",
  summary: "Archive an entity",
  description:
    "The entity disappears from recall and lists and keeps its names. `PATCH` with `status: active` restores it, and so does a `POST` that finds it. An entity that is already archived stays as it is.",
  scope: "memory:delete",
  params: UnitParams,
  reply: Entity,
  versioned: true,
  errors: ["erased", "invalid_transition"],
}, (ctx, { params, expectedVersion }) => read.archiveEntity(ctx, params.id, expectedVersion));

/** Merges entities into one. */
export const mergeEntities = operation({
  id: "mergeEntities",
  summary: `Merge up to ${MERGE_MAX} entities into one`,
  description:
    "The entity of the path survives. It gets the others' names as aliases, their drawers and tags, and attributes that it lacks. It becomes as sensitive as the most sensitive of them, and never more trusted. The others keep their records with the status `merged`; their ids lead to the survivor wherever they are used, even when the survivor is merged in turn. Repeating a merge changes nothing. If two merges contradict each other, the later one is refused (409).",
  scope: "memory:write",
  params: UnitParams,
  body: MergeEntityBody,
  reply: MergedEntity,
  versioned: true,
  errors: ["erased", "invalid_transition", "conflict", "version_mismatch"],
  example: { body: { sourceIds: ["0195c1a0-0000-7000-8000-000000000001"], reason: "one company, two spellings" } },
}, (ctx, { params, body, expectedVersion }) => merge.mergeEntities(ctx, params.id, body, expectedVersion));

/** Undoes merges. */
export const unmergeEntities = operation({
  id: "unmergeEntities",
  summary: "Undo merges into an entity",
  description:
    "The entities of `sourceIds` become entities of their own again, with their names, as they were. If nothing has changed the survivor since, it returns to its state before the merge. Otherwise it loses what they brought, unless that was changed or another merged entity has it too, and keeps its sensitivity. In a chain of merges, undo the last one first.",
  scope: "memory:write",
  params: UnitParams,
  body: MergeEntityBody,
  reply: SeparatedEntity,
  versioned: true,
  errors: ["erased", "invalid_transition", "conflict", "version_mismatch"],
  example: { body: { sourceIds: ["0195c1a0-0000-7000-8000-000000000001"], reason: "two companies after all" } },
}, (ctx, { params, body, expectedVersion }) => unmerge.unmergeEntities(ctx, params.id, body, expectedVersion));

/** Files an entity under a drawer. */
export const fileEntity = operation({
  id: "fileEntity",
  summary: "File an entity under a drawer",
  description: "If the entity is in the drawer already, nothing changes.",
  scope: "memory:write",
  params: DrawerParams,
  reply: Entity,
  versioned: true,
  errors: ["erased", "invalid_transition"],
}, (ctx, { params, expectedVersion }) => drawers.fileEntity(ctx, params.id, params.drawer, true, expectedVersion));

/** Takes an entity out of a drawer. */
export const unfileEntity = operation({
  id: "unfileEntity",
  summary: "Take an entity out of a drawer",
  description: "If the entity is not in the drawer, nothing changes.",
  scope: "memory:write",
  params: DrawerParams,
  reply: Entity,
  versioned: true,
  errors: ["erased", "invalid_transition"],
}, (ctx, { params, expectedVersion }) => drawers.fileEntity(ctx, params.id, params.drawer, false, expectedVersion));

/** The members of an entity's versions, which do not include its mentions. */
const EntityThen = Entity.omit({ mentionCount: true, firstSeenAt: true, lastSeenAt: true }).meta({ id: "EntityThen" });

const ENTITY: unit.LastingKindWords = {
  kind: kind.ENTITIES,
  one: "Entity",
  article: "an entity",
  unitThen: EntityThen,
  restoreDescription:
    "An archived one is active again, under its names. A merged one is brought back by undoing the merge.",
};

export const forgetEntity = unit.forgetting(
  ENTITY,
  (ctx, _kind, id, body, expectedVersion) => lifecycle.forgetEntity(ctx, id, body, expectedVersion),
  ["invalid_transition"],
);
export const restoreEntity = unit.restoring(
  ENTITY,
  (ctx, _kind, id, expectedVersion) => lifecycle.restoreEntity(ctx, id, expectedVersion),
);
export const listEntityRevisions = unit.listingRevisions(ENTITY);
