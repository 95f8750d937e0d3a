/** Accepts an invitation: both sides store each other as peers in one step. */
import type { OperationContext } from "../../../context.ts";
import { ServiceError } from "../../../errors.ts";
import { type Join, Joined } from "../../../schema/federation_handshake.ts";
import { checkInput } from "../../../schema/field_errors.ts";
import { callPeer, type PeerReply, readProblem } from "./call_peer.ts";
import { greet, handshakeCall } from "./greet.ts";
import { toBytes } from "./handshake_messages.ts";
import { readInvite } from "./invite.ts";
import { type InviteTerms, type OwnCertificates, proofOf, requireIdentity, storeInviter } from "./invites.ts";
import { removePeer } from "./manage_peers.ts";
import { eventOfFault } from "./peer_fault.ts";
import { peerSignalsOf } from "./peer_signals.ts";
import { findPeer, type Peer } from "./peers.ts";
import { parseJson } from "../../../schema/json_text.ts";

/**
 * Joins the instance that made an invitation: stores it as a peer, presents this instance to it, and greets it. If it
 * refuses us, its entry is removed here again.
 * @returns the peer after our handshake; undefined if somebody removed it meanwhile
 * @throws ServiceError `validation_failed` for an invitation that cannot be read; `conflict`; `unavailable`, saying why
 * the other side did not accept us
 */
export async function joinByInvite(
  ctx: OperationContext,
  text: string,
  own: OwnCertificates,
  terms: InviteTerms,
): Promise<Peer | undefined> {
  const invite = readInvite(text, ctx.deps.clock());
  const identity = requireIdentity(ctx);
  const { apiKey } = await storeInviter(ctx, invite, terms);
  try {
    const said: Omit<Join, "proof"> = {
      v: 1,
      type: "join",
      invite: invite.invite,
      from: identity.id,
      endpoint: identity.endpoint,
      workspace: ctx.workspaceId,
      region: identity.region,
      signingPublicKey: identity.signingPublicKey,
      certPin: own.certPin,
      ...(own.clientCertPin !== undefined && { clientCertPin: own.clientCertPin }),
      apiKey,
    };
    await present(ctx, invite.id, { ...said, proof: proofOf(said, invite.secret) });
  } catch (error) {
    await removePeer(ctx, invite.id);
    throw error;
  }
  return await greet(ctx, { id: invite.id });
}

const ADVICE: Readonly<Record<string, string>> = {
  conflict: "the workspace over there has a peer of this instance's id; its operator removes it first",
  validation_failed: "its operator allows the port of this instance's endpoint by SVC_OUTBOUND_PORTS",
};

async function present(ctx: OperationContext, id: string, join: Join): Promise<void> {
  const peer = await ctx.tx((tx) => findPeer(ctx.deps, tx, id), { readOnly: true });
  using running = peerSignalsOf(ctx.deps).follow(ctx.workspaceId, id);
  let reply: PeerReply;
  try {
    reply = await callPeer(ctx, peer!, { ...handshakeCall(peer!), body: toBytes(join), signal: running.signal });
  } catch (error) {
    const event = eventOfFault(error);
    if (event?.kind !== "failed" && event?.kind !== "refused") throw error;
    throw new ServiceError("unavailable", `Cannot join ${id}: ${event.message}`, { cause: error });
  }
  if (reply.status !== 200) {
    const { code } = readProblem(reply.body, ctx.deps.clock());
    throw new ServiceError(
      "unavailable",
      `Cannot join ${id}: it answered ${reply.status} ${code ?? ""}: ${
        ADVICE[code ?? ""] ?? "ask for a new invitation"
      }`,
    );
  }
  if (checkInput(Joined, parseJson(reply.body)).faults) {
    throw new ServiceError("unavailable", `Cannot join ${id}: its reply is not one to an invitation`);
  }
}
