/**
 * Handles the messages of peers: pushed items, notices of erasure, hints of new items, and questions about shown
 * versions.
 */
import type { OperationContext } from "../../../context.ts";
import { deleteRemoteFacts } from "../../../db/queries/federation_remote.ts";
import * as queries from "../../../db/queries/federation_sync_runs.ts";
import { noteContact } from "../../../db/queries/federation_peer_standing.ts";
import { ServiceError } from "../../../errors.ts";
import type { AckedItem, SyncAck } from "../../../schema/federation_ack.ts";
import { readWireType } from "../../../schema/federation_item.ts";
import type {
  ClaimReply,
  ClaimRequest,
  EraseNotify,
  FederationMessage,
  FederationMessageReply,
  SyncPush,
} from "../../../schema/federation_message.ts";
import { findClaims } from "./claims.ts";
import { checkEnvelope } from "../protocol/envelope.ts";
import type { IncomingItem, ItemResult } from "../applying/incoming.ts";
import { peerSignalsOf } from "../peers/peer_signals.ts";
import { isAbroad, type Peer } from "../peers/peers.ts";
import { receiveItems } from "../applying/receive.ts";
import { hashItem } from "../register/shared_form.ts";
import { signAnswer, verifyAnswer } from "../protocol/signed_answer.ts";
import { notePeerEvent } from "../peers/standing.ts";
import { asPeer, takePage } from "./take_page.ts";
import { storeAck } from "./tell_peer.ts";

/**
 * Handles a message of a peer.
 * @returns a signed answer if the message asks for one
 * @throws ServiceError `validation_failed` for another addressee, or for items that the peer did not write;
 * `federation_verify_failed`, `federation_decrypt_failed`, `wrong_region` for a pushed page
 */
export async function takeMessage(ctx: OperationContext, message: FederationMessage): Promise<FederationMessageReply> {
  const peer = requirePeer(ctx);
  await noteHeard(ctx, peer);
  if (message.type === "SYNC_ACK") {
    verifyAnswer(ctx, peer, message, undefined);
    await storeAck(ctx, peer, message);
    return { v: 1, type: "ACCEPTED", for: message.for };
  }
  const { messageId, from, to, workspace } = message;
  if (from !== peer.id || to !== ctx.deps.config.instanceId || workspace !== ctx.workspaceId) {
    throw new ServiceError("validation_failed", "Cannot take the message: it is not from this peer to this workspace");
  }
  if ("items" in message) await ctx.noteItems?.(message.items.length);
  const accepted = { v: 1, type: "ACCEPTED", for: messageId } as const;
  switch (message.type) {
    case "SYNC_HINT":
      await ctx.tx((tx) => queries.hurrySyncRun(tx, peer.id));
      peerSignalsOf(ctx.deps).noteHint();
      return accepted;
    case "CLAIM_REQUEST":
      return await tellClaims(ctx, peer, message);
    case "SYNC_PUSH": {
      if (peer.direction === "push") {
        throw new ServiceError("insufficient_scope", "Cannot take the page: the peer only receives");
      }
      const results = await takePush(ctx, peer, message);
      return message.requiresAck ? makeAck(ctx, peer, messageId, results) : accepted;
    }
    case "ERASE_NOTIFY": {
      const results = await takeErasures(ctx, peer, message);
      return message.requiresAck ? makeAck(ctx, peer, messageId, results) : accepted;
    }
  }
}

function requirePeer({ federation }: OperationContext): Peer {
  if (federation?.kind === "peer") return federation.peer;
  throw new ServiceError("insufficient_scope", "Cannot take the message: only peers send messages");
}

/** Notes that the peer was heard: its outage ends at the first sign of life. */
async function noteHeard(ctx: OperationContext, peer: Peer): Promise<void> {
  await ctx.tx((tx) => noteContact(tx, peer.id));
  if (peer.state !== "ACTIVE") await notePeerEvent(ctx, peer.id, { kind: "heard" });
}

async function takePush(ctx: OperationContext, peer: Peer, { envelope }: SyncPush): Promise<ItemResult[]> {
  try {
    const page = checkEnvelope(envelope);
    await ctx.noteItems?.(page.items.length);
    return await takePage(ctx, peer, page, ctx.workspaceId);
  } catch (error) {
    if (error instanceof ServiceError && error.isCallersFault) {
      const { code } = error;
      const detail = { peer: peer.id };
      await ctx.tx(async (tx) =>
        tx.audit({ eventType: "federation.page_rejected", outcome: code, targets: [peer.uid], detail })
      );
    }
    throw error;
  }
}

/** Handles notices of erasure as the items' tombstones. Both may come, in any order; the second changes nothing. */
async function takeErasures(ctx: OperationContext, peer: Peer, { items }: EraseNotify): Promise<ItemResult[]> {
  if (items.some(({ type }) => !readWireType(type).isDeleted)) {
    throw new ServiceError("validation_failed", "Cannot take the notice: it names an item that is not erased");
  }
  if (isAbroad(peer)) {
    const gone = items.map(({ id }) => id);
    await asPeer(ctx, peer).tx((tx) => deleteRemoteFacts(tx, peer.id, gone));
    return items.map(({ id, instance, version }) => ({ id, instance, version, outcome: "erased" }));
  }
  const tombstones = items.map(({ id, instance, type, version, erasedAt }): IncomingItem => {
    const origin = { instance, id };
    const said = { v: 1, origin, writer: peer.id, version, updatedAt: erasedAt, seen: {}, affirms: null } as const;
    return { ...readWireType(type), body: { ...said, unit: null }, hash: hashItem(type, origin, null) };
  });
  return await receiveItems(ctx, peer.id, tombstones);
}

function makeAck(ctx: OperationContext, peer: Peer, messageId: string, results: readonly ItemResult[]): SyncAck {
  return signAnswer(ctx, {
    v: 1,
    type: "SYNC_ACK",
    for: messageId,
    from: ctx.deps.config.instanceId,
    to: peer.id,
    workspace: ctx.workspaceId,
    at: ctx.deps.clock().toISOString(),
    results: results.map(({ told, outcome, ...item }): AckedItem => ({ ...item, outcome: told ?? outcome })),
  });
}

/** Returns which versions of some items are shown here, as far as the peer is cleared for them. */
async function tellClaims(ctx: OperationContext, peer: Peer, { messageId, items }: ClaimRequest): Promise<ClaimReply> {
  const claims = isAbroad(peer) ? [] : await findClaims(ctx, items);
  return signAnswer(ctx, {
    v: 1,
    type: "CLAIM_REPLY",
    for: messageId,
    from: ctx.deps.config.instanceId,
    to: peer.id,
    workspace: ctx.workspaceId,
    at: ctx.deps.clock().toISOString(),
    claims,
  });
}
