/** The side of a handshake that is called. */
import type { OperationContext } from "../../../context.ts";
import { keyIdOf } from "../../../crypto/ed25519.ts";
import { readInstanceSecret } from "../../../db/queries/federation_peers.ts";
import * as queries from "../../../db/queries/federation_peer_standing.ts";
import { ServiceError } from "../../../errors.ts";
import { FederationVerifyError } from "./verify_errors.ts";
import type {
  Answer,
  Challenge,
  HandshakeBody,
  HandshakeReply,
  Hello,
  Join,
  Welcome,
} from "../../../schema/federation_handshake.ts";
import { perService } from "../../common/per_service.ts";
import { digestOf, type Introduction, isGoodAnswer, makeChallenge, toBytes } from "./handshake_messages.ts";
import { takeIn } from "./invites.ts";
import { readKey } from "./manage_peers.ts";
import { findPeer, hasKey, type Peer, signingKeysOf } from "./peers.ts";
import { claimOnce } from "./replay.ts";

/** The deployment's secret for handshakes, read from the database once. */
const handshakeSecretOf = perService(() => ({ value: undefined as Promise<Uint8Array> | undefined }));

async function readSecret({ deps }: OperationContext): Promise<Uint8Array> {
  const kept = handshakeSecretOf(deps);
  kept.value ??= deps.db.system((sql) => readInstanceSecret(sql, "handshake"));
  try {
    return await kept.value;
  } catch (error) {
    kept.value = undefined;
    throw error;
  }
}

/**
 * Answers a message of a handshake.
 * @throws ServiceError `federation_token_invalid`, `federation_verify_failed`, `replay_detected`, `wrong_region`,
 * `validation_failed`, `unavailable`; for an invitation also what `takeIn` throws
 */
export async function answerHandshake(ctx: OperationContext, body: HandshakeBody): Promise<HandshakeReply> {
  if (body.type === "join") return await letJoin(ctx, body);
  const peer = requireProven(ctx);
  const { config: { instanceId } } = ctx.deps;
  if (body.from !== peer.id || body.to !== instanceId || body.workspace !== ctx.workspaceId) {
    throw new ServiceError(
      "validation_failed",
      "Cannot answer the handshake: it is not from this peer to this workspace",
    );
  }
  return body.type === "hello" ? await challenge(ctx, peer, body) : await welcome(ctx, peer, body);
}

/** What this instance says of itself in a handshake with a peer. */
export function introductionTo({ deps }: OperationContext, peer: Peer): Introduction {
  const { homeRegion: region, direction, conflictResolution } = peer;
  return { region, direction, conflictResolution, provesReplies: deps.signingKey !== undefined && hasKey(peer) };
}

/** Returns the peer that sent the message. A peer whose key is known must have signed its token. */
function requireProven({ federation }: OperationContext): Peer {
  if (federation?.kind === "peer" && (federation.isSigned || !hasKey(federation.peer))) return federation.peer;
  throw new ServiceError("federation_token_invalid", "Cannot answer the handshake: its sender proves no key", {
    extra: { reason: "invalid" },
  });
}

async function challenge(ctx: OperationContext, peer: Peer, hello: Hello): Promise<Challenge> {
  const { deps, federation } = ctx;
  const { signingKey, config: { instanceId } } = deps;
  // The peer must be in the region of its entry, whatever it claims.
  if (peer.region !== null && hello.region !== peer.region) {
    throw new ServiceError("wrong_region", "Cannot answer the handshake: the peer's entry has another region");
  }
  if (hello.region !== null && hello.region !== peer.told["region"]) {
    await ctx.tx((tx) => queries.noteRegion(tx, peer.id, hello.region));
  }
  const secret = await readSecret(ctx);
  return makeChallenge({
    parties: { from: instanceId, to: peer.id, workspace: ctx.workspaceId },
    said: introductionTo(ctx, peer),
    // The hash of the body as it arrived, which the token has proved; without a token, that of what was read.
    hello: (federation as { payloadHash: string | undefined }).payloadHash ?? digestOf(toBytes(hello)),
    youAre: { address: ctx.address ?? null, certificatePin: ctx.certificatePin ?? null },
    now: deps.clock(),
    secret,
    key: signingKey,
  });
}

async function welcome(ctx: OperationContext, peer: Peer, answer: Answer): Promise<Welcome> {
  const { deps } = ctx;
  const now = deps.clock();
  const keys = signingKeysOf(peer, now).map((publicKey) => ({ keyId: keyIdOf(publicKey), publicKey }));
  if (!isGoodAnswer(answer, { keys, secret: await readSecret(ctx), now })) {
    throw new FederationVerifyError("Cannot accept the answer: it is not this peer's to a challenge of this instance");
  }
  const secondsLeft = Math.ceil((Date.parse(answer.expiresAt) - now.getTime()) / 1_000);
  if (!await claimOnce(deps, peer.id, `handshake ${answer.nonce}`, secondsLeft)) {
    throw new ServiceError("replay_detected", "Cannot accept the answer: it was used before");
  }
  const state = await ctx.tx(async (tx) => {
    const now = await findPeer(deps, tx, peer.id, true);
    if (now === undefined || now.approvedAt === null) return undefined;
    await queries.noteVerified(tx, peer.id);
    if (now.verifiedAt === null) {
      tx.audit({ eventType: "federation.peer_verified", targets: [now.uid], detail: { peer: peer.id } });
    }
    return now.state;
  });
  if (state === undefined || state === "DISCOVERED") {
    throw new ServiceError("insufficient_scope", "Cannot serve this peer: it is not approved");
  }
  const { direction } = peer;
  return {
    ...{
      v: 1,
      type: "welcome",
      from: deps.config.instanceId,
      to: peer.id,
      workspace: ctx.workspaceId,
      state,
      direction,
    },
  };
}

/**
 * Lets an invited instance join. It is no peer yet: the invitation's proof vouches for the key that signs its token.
 */
async function letJoin(ctx: OperationContext, body: Join): Promise<HandshakeReply> {
  const { federation } = ctx;
  if (federation?.kind !== "stranger") {
    throw new ServiceError("conflict", "Cannot join: the workspace has a peer of this id");
  }
  const issuer = await federation.prove(readKey("signingPublicKey", body.signingPublicKey)!);
  if (issuer !== body.from) {
    throw new ServiceError("federation_token_invalid", "Cannot accept the federation token", {
      extra: { reason: "invalid" },
    });
  }
  return await takeIn(ctx, body);
}
