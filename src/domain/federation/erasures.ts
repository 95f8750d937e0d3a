/**
 * Notices of what was erased here, for every peer until it has acknowledged them; and what this instance answers when it is
 * told. An answer is signed: it shows who erased what, and when.
 */
import type { OperationContext } from "../../context.ts";
import { canonicalJson } from "../../crypto/canonical_json.ts";
import { verifySignature } from "../../crypto/ed25519.ts";
import * as queries from "../../db/queries/federation_erasures.ts";
import { ServiceError } from "../../errors.ts";
import type { AckedItem, SyncAck } from "../../schema/federation_ack.ts";
import type { WireType } from "../../schema/federation_item.ts";
import { type IncomingItem, type ItemResult } from "./incoming.ts";
import { hashItem } from "./shared_form.ts";
import { receiveItems } from "./receive.ts";

/** Before what is signed of an answer. */
const ACK_CONTEXT = "svc-fed-ack-v1\n";

/** Signs an answer where this instance has a key. */
export function signAck({ deps }: OperationContext, ack: Omit<SyncAck, "keyId" | "signature">): SyncAck {
  const { signingKey: key } = deps;
  if (key === undefined) return ack;
  const signature = key.sign(bytesOf({ ...ack, keyId: key.keyId }));
  return { ...ack, keyId: key.keyId, signature: signature.toBase64({ alphabet: "base64url", omitPadding: true }) };
}

/** Whether an answer is what a peer signed with one of its keys, 32 bytes each. */
export function isAckOf({ signature, ...ack }: SyncAck, keys: readonly Uint8Array[]): boolean {
  if (signature === undefined) return false;
  const bytes = Uint8Array.fromBase64(signature, { alphabet: "base64url" });
  return keys.some((key) => verifySignature(bytes, bytesOf(ack), key));
}

function bytesOf(ack: object): Uint8Array {
  return new TextEncoder().encode(ACK_CONTEXT + canonicalJson(ack));
}

/** What `ERASE_NOTIFY` says of an item. */
export interface ErasedItem {
  readonly id: string;
  readonly instance: string;
  /** Without `:deleted`. */
  readonly type: IncomingItem["type"];
  readonly version: number;
  readonly erasedAt: string;
}

/**
 * Takes notices of a peer that it erased items: as its tombstones, which say the same.
 * @throws ServiceError `validation_failed`
 */
export async function receiveErasures(
  ctx: OperationContext,
  peerId: string,
  items: readonly ErasedItem[],
): Promise<ItemResult[]> {
  return await receiveItems(ctx, peerId, items.map((item) => toTombstone(peerId, item)));
}

function toTombstone(writer: string, { id, instance, type, version, erasedAt }: ErasedItem): IncomingItem {
  const origin = { instance, id };
  const wireType: WireType = `${type}:deleted`;
  return {
    type,
    isDeleted: true,
    hash: hashItem(wireType, origin, null),
    body: { v: 1, origin, writer, version, updatedAt: erasedAt, seen: {}, affirms: null, unit: null },
  };
}

/** Notices that a peer has not acknowledged and that are due. */
export async function listDueErasures(
  ctx: OperationContext,
  peerId: string,
  limit: number,
): Promise<queries.ErasureRow[]> {
  return await ctx.tx((tx) => queries.listDue(tx, peerId, limit), { readOnly: true });
}

/**
 * Notes what a peer answered to notices: they are not sent again.
 * @throws ServiceError `federation_verify_failed` where the peer's keys are known and the answer is not signed by one
 */
export async function noteAcknowledged(
  ctx: OperationContext,
  peerId: string,
  ack: SyncAck,
  keys: readonly Uint8Array[],
): Promise<number> {
  if (keys.length > 0 && !isAckOf(ack, keys)) {
    throw new ServiceError("federation_verify_failed", `Cannot accept the answer: it is not signed by ${peerId}`);
  }
  return await ctx.tx(async (tx) => {
    const done = await queries.acknowledge(tx, peerId, ack.results.map(toOutcome), ack);
    if (done.length > 0) {
      const detail = { peer: peerId, count: done.length };
      tx.audit({
        eventType: "federation.erase_acknowledged",
        targets: done.slice(0, 100),
        targetCount: done.length,
        detail,
      });
    }
    return done.length;
  });
}

function toOutcome({ instance, id, version, outcome }: AckedItem) {
  return { instance, id, version, outcome };
}
