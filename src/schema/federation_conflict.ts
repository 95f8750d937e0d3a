/** Conflicts: versions of other instances that contradict the version shown here, and how an admin settles them. */
import { z } from "zod";
import { Id, ListQuery, pageOf, repeated, Sensitivity, Timestamp } from "./common.ts";
import { ITEM_TYPES, ItemHash, ItemVersion } from "./federation_item.ts";
import { ConflictResolution, InstanceId } from "./federation_peer.ts";

export const CONFLICT_STATES = ["contested", "resolved", "dismissed"] as const;

export const FederationConflict = z.strictObject({
  id: Id,
  type: z.enum(ITEM_TYPES),
  origin: z.strictObject({ instance: InstanceId, id: Id }).meta({
    description: "Where the item began, and its id there",
  }),
  writer: InstanceId.meta({ description: "The instance whose version contradicts what is shown here" }),
  state: z.enum(CONFLICT_STATES),
  unitId: Id.meta({ description: "The unit or relation that is shown here" }),
  otherUnitId: Id.nullable().meta({
    description: "The unit that holds the other version; null for entities and relations",
  }),
  strategy: ConflictResolution,
  reviewItemId: Id.nullable(),
  taskId: Id.nullable(),
  sensitivity: Sensitivity,
  outcome: z.string().nullable(),
  openedAt: Timestamp,
  resolvedAt: Timestamp.nullable(),
  resolvedBy: z.string().nullable(),
}).meta({ id: "FederationConflict" });
export type FederationConflict = z.infer<typeof FederationConflict>;
export const FederationConflictPage = pageOf(FederationConflict).meta({ id: "FederationConflictPage" });

export const ListFederationConflictsQuery = ListQuery.extend({
  state: repeated(z.enum(CONFLICT_STATES), CONFLICT_STATES.length).optional().meta({
    description: "May be repeated. Default: `contested`",
  }),
  peer: InstanceId.optional().meta({ description: "Only conflicts with versions of this instance" }),
});
export type ListFederationConflictsQuery = z.infer<typeof ListFederationConflictsQuery>;

const CLAIMS_MAX = 64;

/** Names a version by its writer. A given version number or hash must equal the one on record here. */
const VersionRef = z.strictObject({
  id: Id.meta({ description: "The id that the item has where it began" }),
  instance: InstanceId.meta({ description: "The instance that wrote the version" }),
  version: ItemVersion.optional(),
  hash: ItemHash.optional(),
}).meta({ id: "FederationVersionRef" });

export const FederationClaim = z.strictObject({
  instance: InstanceId.meta({ description: "The instance that is said to hold this version" }),
  id: Id.meta({ description: "The id that the item has where it began" }),
  version: ItemVersion,
  hash: ItemHash,
  updatedAt: Timestamp.optional(),
}).meta({ id: "FederationClaim" });
export type FederationClaim = z.infer<typeof FederationClaim>;

/**
 * Either two versions, of which the later one wins, or claims of several instances, on which the configured weights
 * vote.
 */
export const ResolveFederationBody = z.union([
  z.strictObject({ itemA: VersionRef, itemB: VersionRef }),
  z.strictObject({ items: z.array(FederationClaim).min(2).max(CLAIMS_MAX) }),
]).meta({ id: "ResolveFederationBody" });
export type ResolveFederationBody = z.infer<typeof ResolveFederationBody>;

export const ResolveFederationReply = z.strictObject({
  conflictId: Id,
  status: z.enum(["resolved", "contested"]),
  rule: z.enum(["last_write_wins", "weighted_consensus"]),
  winner: z.strictObject({ instance: InstanceId, version: ItemVersion, hash: ItemHash }).nullable(),
  votes: z.array(z.strictObject({
    instance: InstanceId,
    hash: ItemHash,
    weight: z.int().min(0).meta({ description: "In millionths of a point of weight" }),
  })),
  ignored: z.array(z.strictObject({
    instance: InstanceId,
    reason: z.enum(["unknown_peer", "repeated", "not_its_word"]),
  })).meta({ description: "Claims that did not count, and why" }),
  unitId: Id,
  reviewItemId: Id.nullable(),
}).meta({ id: "ResolveFederationReply", description: "The conflict as it was settled" });
export type ResolveFederationReply = z.infer<typeof ResolveFederationReply>;
