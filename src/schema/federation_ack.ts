/** The answer to pushed items and to notices of erasure: what the receiver did with each item. */
import { z } from "zod";
import { Id, Timestamp } from "./common.ts";
import { ItemVersion } from "./federation_item.ts";
import { InstanceId } from "./federation_peer.ts";

export const ITEM_OUTCOMES = [
  "applied",
  "duplicate",
  "unchanged",
  "kept_ours",
  "contested",
  "deferred",
  "erased",
  "acknowledged",
  "version_removed",
  "review_opened",
  "not_found",
  "RESURRECTION_BLOCKED",
  "VERSION_JUMP_REJECTED",
  "validation_failed",
  "conflict",
] as const;
export const ItemOutcome = z.enum(ITEM_OUTCOMES).meta({
  id: "FederationItemOutcome",
  description:
    "`applied`: the receiver shows this version now. `duplicate`, `unchanged`: the receiver had it already. `kept_ours`: the receiver shows another version. `contested`: a person has to decide. `deferred`: the receiver keeps it and cannot use it yet. `version_removed`: the receiver removed the sender's version of an item that began elsewhere. `conflict`: the sender published the same version number before, with another hash",
});
export type ItemOutcome = z.infer<typeof ItemOutcome>;

export const AckedItem = z.strictObject({
  id: Id,
  instance: InstanceId.meta({ description: "Where the item began" }),
  version: ItemVersion,
  outcome: ItemOutcome,
  base: z.int().min(0).optional().meta({ description: "With `VERSION_JUMP_REJECTED`: the highest version known here" }),
});
export type AckedItem = z.infer<typeof AckedItem>;

/** The most results that one message may hold. */
const RESULTS_MAX = 500;

/** The signed answer to a push or to notices of erasure: what the receiver did with each item. */
export const SyncAck = z.strictObject({
  v: z.literal(1),
  type: z.literal("SYNC_ACK"),
  for: Id.meta({ description: "`messageId` of the message that this answers" }),
  from: InstanceId,
  to: InstanceId,
  workspace: Id.meta({ description: "The id at the instance that answers" }),
  at: Timestamp,
  results: z.array(AckedItem).max(RESULTS_MAX),
  keyId: z.string().regex(/^[0-9a-f]{16}$/, "must be 16 hex digits").optional(),
  signature: z.string().max(128).optional().meta({
    description: "Ed25519 over `svc-fed-ack-v1`, a line feed and the canonical JSON of the rest",
  }),
}).meta({ id: "FederationSyncAck" });
export type SyncAck = z.infer<typeof SyncAck>;
