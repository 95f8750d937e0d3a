/**
 * The messages of a stream between instances. Each is admitted like a request: by the key or the certificate that
 * opened the stream, by the peer's present entry, and by a token over the message, which counts once. A token proves
 * each answer, too.
 */
import { createContext, type OperationContext } from "../../../context.ts";
import { canonicalJson } from "../../../crypto/canonical_json.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import { auditTrailOf } from "../../audit/trail.ts";
import { admitOpened, type Presented, refuseToken } from "../peers/caller.ts";
import type { Opened, PeerAccess } from "../peers/open_caller.ts";
import { type FollowedPeer, peerSignalsOf } from "../peers/peer_signals.ts";
import { clientPinsOf, findPeer, findPeerOfKey, type Peer } from "../peers/peers.ts";
import { mintReplyToken, payloadHash, type ReplyTo } from "../peers/token.ts";

export interface StreamMessage extends Pick<PeerAccess, "admits"> {
  /** How much of the peer's rate limit the operation uses. */
  readonly cost: number;
  /** The text of its token; null if it has none. */
  readonly token: string | null;
  /** The message without its token; the token is over this. */
  readonly said: object;
  /** Called as soon as the token's signature holds, with what the token of the answer needs. */
  readonly onProven: (to: ReplyTo) => void;
}

/** The bytes that the token of a message covers, however the message was encoded. */
function bytesOf(said: object): Uint8Array {
  return new TextEncoder().encode(canonicalJson(said));
}

/**
 * Admits a message of an open stream, before its content is checked.
 * @param ctx the context of the message's operation, with the present rights of the stream's key
 * @param presented what the opener of the stream presented
 * @returns the context in which the message is taken
 * @throws ServiceError `federation_token_invalid`, `replay_detected`, `unauthenticated`, `insufficient_scope`,
 *   `rate_limited`, `not_found`, `unavailable`
 */
export async function admitMessage(
  ctx: OperationContext,
  { access, opened }: Presented,
  { admits, cost, token, said, onProven }: StreamMessage,
): Promise<OperationContext> {
  auditTrailOf(ctx.deps).requireRoom();
  const own = createContext(ctx.deps, { ...ctx, actor: opened.ctx.actor }, ctx);
  const now = { ...opened, ctx: own, bound: await findBound(own, opened) };
  const { operationId } = ctx;
  const admitted = await admitOpened(now, { ...access, operationId, admits, cost, token, onProven });
  if (!isSameCaller(ctx, admitted.ctx)) {
    const refusal = refuseToken(own, "iss", access, peerOf(ctx)?.id);
    auditTrailOf(ctx.deps).noteRefusal(own, refusal.code);
    throw refusal;
  }
  await admitted.acceptBody(bytesOf(said));
  return admitted.ctx;
}

/** Finds the peer to which the key was issued, or whose certificate it is, by its present entry. */
async function findBound(own: OperationContext, { bound }: Opened): Promise<Peer | undefined> {
  const { deps, credential, certificatePin, actor } = own;
  const isByKey = credential !== undefined;
  const id = bound?.id;
  const found = await own.tx(async (tx: Tx) => {
    if (isByKey) return await findPeerOfKey(deps, tx, actor.slice("key:".length));
    return id === undefined ? undefined : await findPeer(deps, tx, id);
  }, { readOnly: true });
  if (isByKey) return found;
  const isGood = found !== undefined && found.approvedAt !== null && certificatePin !== undefined &&
    clientPinsOf(found, deps.clock()).includes(certificatePin);
  if (isGood) return found;
  throw new ServiceError("unauthenticated", "Cannot continue: the certificate is no longer one of a peer");
}

function peerOf({ federation }: OperationContext): Peer | undefined {
  return federation?.kind === "peer" ? federation.peer : undefined;
}

/** Whether a message comes from the caller that opened the stream. */
function isSameCaller(opening: OperationContext, message: OperationContext): boolean {
  return opening.federation?.kind === message.federation?.kind && peerOf(opening)?.id === peerOf(message)?.id;
}

/** Returns the context of a message that a later message names by its hash, as an answer names a hello. */
export function namedBy(ctx: OperationContext, said: object): OperationContext {
  const { federation } = ctx;
  if (federation?.kind !== "peer") return ctx;
  return { ...ctx, federation: { ...federation, payloadHash: payloadHash(bytesOf(said)) } };
}

/**
 * Makes the token that proves an answer; undefined if the message had no valid token, or this instance has no signing key.
 * @param status the status that HTTP would have answered with
 * @param answer the answer as it is sent, without the token
 */
export async function proveAnswer(
  ctx: Pick<OperationContext, "deps">,
  to: ReplyTo | undefined,
  status: number,
  answer: object,
): Promise<string | undefined> {
  return to === undefined ? undefined : await mintReplyToken(ctx.deps, to, status, bytesOf(answer));
}

/** Follows the entry of the peer that opened a stream; undefined if no peer did. */
export function followCaller(ctx: OperationContext): FollowedPeer | undefined {
  const peer = peerOf(ctx);
  return peer === undefined ? undefined : peerSignalsOf(ctx.deps).follow(ctx.workspaceId, peer.id);
}
