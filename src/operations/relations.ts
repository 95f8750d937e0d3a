/** The operations on relations between units. */
import * as create from "../domain/relations/create.ts";
import * as read from "../domain/relations/read.ts";
import * as update from "../domain/relations/update.ts";
import {
  CreateRelationBatchBody,
  CreateRelationBody,
  ListRelationsQuery,
  ListVerbsQuery,
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

/** Creates a relation. */
export const createRelation = operation({
  id: "createRelation",
  summary: "Create a relation between two or more units",
  description:
    "Relates units of any types that the key may see. A merged entity is replaced by the one that it was merged into. If a relation with the same verb, the same ends and overlapping validity exists, it is not stored again: the reply is 200 with the existing one, which gets the greater weight and confidence, the more trusted attribution, and the evidence and tags of both. A unit cannot be related to itself. `supersedes`, `derived_from`, `precedes` and `part_of` may form no cycle at any one time; `causes` may. In a hyperedge, edges lead from the role `source` to the others and from the others to `target`; other roles have no direction. `supersedes` between two facts, or two decisions, supersedes the target, reversibly: archiving the relation brings it back into force. The target must be in force, and may be trusted more than the source only if the key has `memory:admin`; otherwise the reply is 422. Between other units it changes neither.",
  scope: "memory:write",
  body: CreateRelationBody,
  status: 201,
  otherStatus: { status: 200, description: "An existing relation that says the same" },
  reply: Relation,
  versioned: true,
  example: { body: EXAMPLE },
}, async (ctx, { body }) => {
  const { isNew, relation } = await create.createRelation(ctx, body);
  return new Replied(relation, isNew ? 201 : 200);
});

/** Creates relations in one transaction. */
export const createRelations = operation({
  id: "createRelations",
  summary: "Create up to 500 relations",
  description:
    "One transaction, in order. Each item has its own result. If one is refused, for example because of an unknown unit or a cycle, the others are still stored. An invalid body is refused as a whole.",
  scope: "memory:write",
  cost: BATCH,
  body: CreateRelationBatchBody,
  bodyBytesMax: BATCH_BYTES_MAX,
  reply: RelationBatchReply,
  example: { body: { relations: [EXAMPLE] } },
}, (ctx, { body }) => create.createRelations(ctx, body.relations));

export const listRelations = operation({
  id: "listRelations",
  summary: "List relations",
  scope: "memory:read",
  query: ListRelationsQuery,
  reply: RelationPage,
}, (ctx, { query }) => read.listRelations(ctx, query));

export const listRelationVerbs = operation({
  id: "listRelationVerbs",
  summary: "List the nine verbs and what they mean",
  scope: "memory:read",
  query: ListVerbsQuery,
  reply: RelationVerbList,
}, (_ctx, { query }) => read.listVerbs(query));

/** Reads a relation. */
export const getRelation = operation({
  id: "getRelation",
  summary: "Read a relation",
  description: "Reads the relation in any state. When a unit that it relates is erased, the relation is erased, too.",
  scope: "memory:read",
  params: UnitParams,
  reply: Relation,
  versioned: true,
}, (ctx, { params }) => read.getRelation(ctx, params.id));

/** Changes a relation, or restores an archived one. */
export const updateRelation = operation({
  id: "updateRelation",
  summary: "Change or restore a relation",
  description:
    "Ends and verb cannot change: create another relation instead. `status: active` restores an archived relation. Null removes a bound of the validity. A patch that changes nothing creates no version.",
  scope: "memory:write",
  params: UnitParams,
  body: UpdateRelationBody,
  reply: Relation,
  versioned: true,
  errors: ["invalid_transition", "conflict"],
  example: { body: { weight: 0.5, validTo: "2026-03-01T00:00:00Z" } },
}, (ctx, { params, body, expectedVersion }) => update.updateRelation(ctx, params.id, body, expectedVersion));

/** Archives a relation. */
export const archiveRelation = operation({
  id: "archiveRelation",
  summary: "Archive a relation",
  description:
    "The relation disappears from lists, graphs and traversals. `PATCH` with `status: active` restores it. A relation that is already archived stays as it is. What a relation `supersedes` has superseded comes back into force, unless something else has superseded it since.",
  scope: "memory:delete",
  params: UnitParams,
  reply: Relation,
  versioned: true,
}, (ctx, { params, expectedVersion }) => update.archiveRelation(ctx, params.id, expectedVersion));
