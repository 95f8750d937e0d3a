/**
 * Notices of items that were erased here, which every peer gets until it acknowledges them, and the answers to a peer's
 * notices. An answer is signed: it proves who erased an item, and when.
 */
import type { OperationContext } from "../../context.ts";
import { canonicalJson } from "../../crypto/canonical_json.ts";
import { verifySignature } from "../../crypto/ed25519.ts";
import * as queries from "../../db/queries/federation_erasures.ts";
import { ServiceError } from "../../errors.ts";
import type { AckedItem, SyncAck } from "../../schema/federation_ack.ts";

/** The prefix of the signed bytes of an answer. */
const ACK_CONTEXT = "svc-fed-ack-v1\n";

/** Signs an answer, if this instance has a key. */
export function signAck({ deps }: OperationContext, ack: Omit<SyncAck, "keyId" | "signature">): SyncAck {
  const { signingKey: key } = deps;
  if (key === undefined) return ack;
  const signature = key.sign(bytesOf({ ...ack, keyId: key.keyId }));
  return { ...ack, keyId: key.keyId, signature: signature.toBase64({ alphabet: "base64url", omitPadding: true }) };
}

/** Whether an answer was signed by one of a peer's keys, 32 bytes each. */
export function isAckOf({ signature, ...ack }: SyncAck, keys: readonly Uint8Array[]): boolean {
  if (signature === undefined) return false;
  const bytes = Uint8Array.fromBase64(signature, { alphabet: "base64url" });
  return keys.some((key) => verifySignature(bytes, bytesOf(ack), key));
}

function bytesOf(ack: object): Uint8Array {
  return new TextEncoder().encode(ACK_CONTEXT + canonicalJson(ack));
}

/** Lists the notices that are due for a peer and that it has not acknowledged. */
export async function listDueErasures(
  ctx: OperationContext,
  peerId: string,
  limit: number,
): Promise<queries.ErasureRow[]> {
  return await ctx.tx((tx) => queries.listDue(tx, peerId, limit), { readOnly: true });
}

/**
 * Stores a peer's answer to notices, which are not sent again then. Returns how many it acknowledged.
 * @throws ServiceError `federation_verify_failed` if keys of the peer are known and none of them signed the answer
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
