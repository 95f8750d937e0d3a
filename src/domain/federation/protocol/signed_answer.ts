/**
 * Signs and verifies answers between instances that are kept as proof. The signature covers the canonical JSON of all
 * other members.
 */
import type { OperationContext } from "../../../context.ts";
import { canonicalJson } from "../../../crypto/canonical_json.ts";
import { keyIdOf, verifySignature } from "../../../crypto/ed25519.ts";
import { readBase64, toBase64Url } from "../../../crypto/item_seal.ts";
import type { SyncAck } from "../../../schema/federation_ack.ts";
import type { ClaimReply, FederationMessageReply } from "../../../schema/federation_message.ts";
import { FederationVerifyError } from "../peers/verify_errors.ts";
import { PeerFault } from "../peers/peer_fault.ts";
import { type Peer, signingKeysOf } from "../peers/peers.ts";

type Answer = SyncAck | ClaimReply;

/** The signed bytes begin with the kind of the answer, so that one kind cannot pass for another. */
const SIGNED_AS = { SYNC_ACK: "svc-fed-ack-v1\n", CLAIM_REPLY: "svc-fed-claims-v1\n" } as const;

function signedBytes({ signature: _, ...rest }: Answer): Uint8Array {
  return new TextEncoder().encode(SIGNED_AS[rest.type] + canonicalJson(rest));
}

/** Returns the answer with our signature, or without one if this instance has no key. */
export function signAnswer<T extends Answer>({ deps: { signingKey } }: OperationContext, answer: T): T {
  if (signingKey === undefined) return answer;
  const named = { ...answer, keyId: signingKey.keyId };
  return { ...named, signature: toBase64Url(signingKey.sign(signedBytes(named))) };
}

/**
 * Verifies that an answer is the peer's answer to this instance about this message. For a peer without a key only the
 * addresses can be checked.
 * @throws FederationVerifyError
 */
export function verifyAnswer(ctx: OperationContext, peer: Peer, answer: Answer, messageId: string | undefined): void {
  const { config: { instanceId }, clock } = ctx.deps;
  const isOurs = answer.from === peer.id && answer.to === instanceId && answer.workspace === peer.remoteWorkspaceId &&
    (messageId === undefined || answer.for === messageId);
  if (!isOurs) throw new FederationVerifyError("Cannot accept the peer's answer: it answers another message");
  const keys = signingKeysOf(peer, clock());
  if (keys.length === 0) return;
  const key = keys.find((one) => keyIdOf(one) === answer.keyId);
  const signature = answer.signature === undefined ? undefined : readBase64(answer.signature);
  if (key !== undefined && signature !== undefined && verifySignature(signature, signedBytes(answer), key)) return;
  throw new FederationVerifyError(`Cannot accept the peer's answer: its signature is not that of ${peer.id}`);
}

/** The names of replies for operators. */
const KINDS = { SYNC_ACK: "acknowledgement", CLAIM_REPLY: "answer about claims" } as const;

/**
 * Checks that a reply is the answer that a message asks for, and returns it.
 * @throws PeerFault when it is another one, or not the peer's own about this message
 */
export function requireAnswer<T extends Answer["type"]>(
  ctx: OperationContext,
  peer: Peer,
  reply: FederationMessageReply,
  type: T,
  messageId: string,
): Extract<Answer, { readonly type: T }> {
  if (reply.type !== type) throw new PeerFault("unexpected_reply", `The peer's reply is no ${KINDS[type]}`);
  try {
    verifyAnswer(ctx, peer, reply as Answer, messageId);
  } catch (cause) {
    if (!(cause instanceof FederationVerifyError)) throw cause;
    throw new PeerFault(cause.code, `${cause.message}: compare its signing key with its entry`, { cause });
  }
  return reply as Extract<Answer, { readonly type: T }>;
}
