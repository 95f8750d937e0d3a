/** The messages between instances: pushed items, notices of erasure, hints, questions about claims, and answers. */
import { z } from "zod";
import { Id, JsonObject, Timestamp } from "./common.ts";
import { SyncAck } from "./federation_ack.ts";
import { IDS_MAX, ItemHash, ItemVersion, WireType } from "./federation_item.ts";
import { InstanceId } from "./federation_peer.ts";

/** The most bytes of a message: it may hold a whole page. */
export const MESSAGE_BYTES_MAX = 8_388_608;

const head = {
  v: z.literal(1),
  messageId: Id,
  from: InstanceId,
  to: InstanceId,
  workspace: Id.meta({ description: "The workspace's id at the instance that receives" }),
};
const requiresAck = z.boolean().default(true).meta({ description: "Whether the sender wants a signed answer" });

export const SyncPush = z.strictObject({
  ...head,
  type: z.literal("SYNC_PUSH"),
  requiresAck,
  envelope: JsonObject.meta({
    type: "object",
    additionalProperties: true,
    description: "A page of items as `GET items` serves it, without a cursor",
  }),
}).meta({ id: "FederationSyncPush" });
export type SyncPush = z.infer<typeof SyncPush>;

const ErasedItem = z.strictObject({
  id: Id,
  instance: InstanceId.meta({ description: "Where the item began" }),
  type: WireType,
  version: ItemVersion,
  erasedAt: Timestamp,
});
export type ErasedItem = z.infer<typeof ErasedItem>;

export const EraseNotify = z.strictObject({
  ...head,
  type: z.literal("ERASE_NOTIFY"),
  requiresAck,
  items: z.array(ErasedItem).min(1).max(IDS_MAX),
}).meta({ id: "FederationEraseNotify" });
export type EraseNotify = z.infer<typeof EraseNotify>;

export const SyncHint = z.strictObject({
  ...head,
  type: z.literal("SYNC_HINT"),
  cursor: z.string().min(1).max(1_000).nullable().optional().meta({ description: "How far the sender has published" }),
}).meta({ id: "FederationSyncHint" });
export type SyncHint = z.infer<typeof SyncHint>;

export const ClaimRequest = z.strictObject({
  ...head,
  type: z.literal("CLAIM_REQUEST"),
  items: z.array(z.strictObject({ id: Id, instance: InstanceId })).min(1).max(IDS_MAX),
}).meta({ id: "FederationClaimRequest" });
export type ClaimRequest = z.infer<typeof ClaimRequest>;

/** A claim: the version of an item that an instance shows. */
export const Claim = z.strictObject({
  id: Id,
  instance: InstanceId,
  version: ItemVersion,
  hash: ItemHash,
  updatedAt: Timestamp,
});
export type Claim = z.infer<typeof Claim>;

/** The signed answer to a `CLAIM_REQUEST`. */
export const ClaimReply = z.strictObject({
  v: z.literal(1),
  type: z.literal("CLAIM_REPLY"),
  for: Id,
  from: InstanceId,
  to: InstanceId,
  workspace: Id,
  at: Timestamp,
  claims: z.array(Claim).max(IDS_MAX),
  keyId: z.string().regex(/^[0-9a-f]{16}$/, "must be 16 hex digits").optional(),
  signature: z.string().max(128).optional(),
}).meta({ id: "FederationClaimReply" });
export type ClaimReply = z.infer<typeof ClaimReply>;

/** The answer to a message that needs no other one. */
export const Accepted = z.strictObject({ v: z.literal(1), type: z.literal("ACCEPTED"), for: Id }).meta({
  id: "FederationAccepted",
});

export const FederationMessage = z.discriminatedUnion("type", [SyncPush, EraseNotify, SyncHint, ClaimRequest, SyncAck])
  .meta({ id: "FederationMessage" });
export type FederationMessage = z.infer<typeof FederationMessage>;

export const FederationMessageReply = z.discriminatedUnion("type", [SyncAck, ClaimReply, Accepted]).meta({
  id: "FederationMessageReply",
  description: "The answer to the message",
});
export type FederationMessageReply = z.infer<typeof FederationMessageReply>;
