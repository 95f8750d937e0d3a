/** Relations: the nine verbs between units. */
import * as relations from "../domain/relations/mod.ts";
import {
  CreateRelationBatchBody,
  CreateRelationBody,
  ListRelationsQuery,
  Relation,
  RelationBatchReply,
  RelationPage,
  RelationVerbList,
  UpdateRelationBody,
} from "../schema/relation.ts";
import { UnitParams } from "../schema/unit.ts";
import { BATCH } from "./cost.ts";
import { BATCH_BYTES_MAX, operation, Replied } from "./operation.ts";

const EXAMPLE = {
  sourceId: "0195c1a0-0000-7000-8000-000000000001",
  targetId: "0195c1a0-0000-7000-8000-000000000002",
  verb: "supports",
  weight: 0.9,
  tags: ["launch"],
};

/** Relates units. */
export const createRelation = operation({
  id: "createRelation",
  summary: "Create a relation, between two units or among several",
  description: "Between units of any types that the key may see. An entity that was merged is related as the one " +
    "that stands for it. A relation of the same verb between the same ends whose validity overlaps is not stored " +
    "again: it is answered with 200, with the greater weight and confidence, the more trusted attribution and the " +
    "evidence and tags of both. A unit is not related to itself; `supersedes`, `derived_from`, `precedes` and " +
    "`part_of` close no circle at any one time, `causes` may. In a hyperedge, the role `source` leads to the " +
    "others and `target` is led to; any other role goes both ways.",
  scope: "memory:write",
  body: CreateRelationBody,
  status: 201,
  otherStatus: { status: 200, description: "A relation that says the same" },
  reply: Relation,
  versioned: true,
  example: { body: EXAMPLE },
}, async (ctx, { body }) => {
  const { isNew, relation } = await relations.createRelation(ctx, body);
  return new Replied(relation, isNew ? 201 : 200);
});

/** Creates relations in one transaction. */
export const createRelations = operation({
  id: "createRelations",
  summary: "Create up to 500 relations",
  description: "In one transaction and in order. Each has a result of its own; one that is refused, such as for an " +
    "unknown unit or a circle, is left out and the others are stored. A body that is not valid is refused as a whole.",
  scope: "memory:write",
  cost: BATCH,
  body: CreateRelationBatchBody,
  bodyBytesMax: BATCH_BYTES_MAX,
  reply: RelationBatchReply,
  example: { body: { relations: [EXAMPLE] } },
}, (ctx, { body }) => relations.createRelations(ctx, body.relations));

/** Lists relations. */
export const listRelations = operation({
  id: "listRelations",
  summary: "List relations",
  scope: "memory:read",
  query: ListRelationsQuery,
  reply: RelationPage,
}, (ctx, { query }) => relations.listRelations(ctx, query));

/** Lists the verbs. */
export const listRelationVerbs = operation({
  id: "listRelationVerbs",
  summary: "The nine verbs and what they mean",
  scope: "memory:read",
  reply: RelationVerbList,
}, () => relations.listVerbs());

/** Reads a relation. */
export const getRelation = operation({
  id: "getRelation",
  summary: "Read a relation",
  description: "In any state. It goes for ever when a unit that it relates is erased.",
  scope: "memory:read",
  params: UnitParams,
  reply: Relation,
  versioned: true,
}, (ctx, { params }) => relations.getRelation(ctx, params.id));

/** Changes a relation, or brings it back. */
export const updateRelation = operation({
  id: "updateRelation",
  summary: "Change a relation, or bring it back",
  description: "Its ends and its verb stay: another tie is another relation. `status: active` brings an archived " +
    "relation back. Null opens an end of the validity. A patch that changes nothing makes no version.",
  scope: "memory:write",
  params: UnitParams,
  body: UpdateRelationBody,
  reply: Relation,
  versioned: true,
  errors: ["invalid_transition", "conflict"],
  example: { body: { weight: 0.5, validTo: "2026-03-01T00:00:00Z" } },
}, (ctx, { params, body, expectedVersion }) => relations.updateRelation(ctx, params.id, body, expectedVersion));

/** Archives a relation. */
export const archiveRelation = operation({
  id: "archiveRelation",
  summary: "Archive a relation",
  description: "It leaves lists, graphs and walks. `PATCH` with `status: active` brings it back. An archived one is " +
    "answered as it is.",
  scope: "memory:delete",
  params: UnitParams,
  reply: Relation,
  versioned: true,
}, (ctx, { params, expectedVersion }) => relations.archiveRelation(ctx, params.id, expectedVersion));
