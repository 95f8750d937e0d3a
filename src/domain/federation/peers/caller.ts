/**
 * Identifies the sender of a request between instances. The order of the checks is fixed: API key or client
 * certificate, address, region, scope, rate of the key; token; rate of the peer; and, when the body has been read: its
 * hash, whether the token is new, the state of the peer.
 *
 * A token is checked against the entry of the workspace that the key or certificate opened. Nothing about a token is
 * stored before it has passed every other check, so that garbage cannot fill the store.
 */
import {
  createContext,
  type Deps,
  type FederationCaller,
  type OperationContext,
  type Principal,
} from "../../../context.ts";
import { TokenFault } from "../../../crypto/compact_jws.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import { looksLikeUuid } from "../../../schema/uuid.ts";
import { federationClockSkew, federationTokenRefused } from "../../../telemetry/federation_events.ts";
import { takeRequest } from "../../access/request_rate.ts";
import { auditTrailOf, subjectOf } from "../../audit/trail.ts";
import { leastSensitive } from "../../unit/trust.ts";
import {
  actorOf,
  noteWrongPin,
  openCaller,
  type Opened,
  type PeerAccess,
  rightsOf,
  wrongCertificate,
} from "./open_caller.ts";
import { clientPinsOf, findPeer, hasKey, type Peer, signingKeysOf } from "./peers.ts";
import { claimOnce } from "./replay.ts";
import { notePeerHeard } from "./standing.ts";
import {
  checkRequestClaims,
  isBodyOf,
  PEER_HEADER,
  readRequestToken,
  type RequestToken,
  TOKEN_HEADER,
  verifyRequestSignature,
} from "./token.ts";

/** An identified caller, whose body is still to come. */
export interface AdmittedCaller {
  readonly ctx: OperationContext;
  /**
   * Checks the bytes of the body before they are parsed.
   * @throws ServiceError `federation_token_invalid`, `replay_detected`, `unavailable`, `insufficient_scope`,
   * `not_found`
   */
  readonly acceptBody: (body: Uint8Array) => Promise<void>;
  /** What the caller presented; the messages of a stream that it opens are checked against it. */
  readonly presented: Presented;
}

/** What a caller presented, and what its key or certificate opened before the token was checked. */
export interface Presented {
  readonly access: PeerAccess;
  readonly opened: Opened;
}

/** The body of a request; empty until it has been read. */
interface Arrived {
  body: Uint8Array;
}

/**
 * Identifies the sender of a request between instances, as far as that needs no body.
 * @throws ServiceError `unauthenticated`, `federation_token_invalid`, `ip_not_allowed`, `wrong_region`,
 * `insufficient_scope`, `rate_limited`
 */
export async function admitPeer(deps: Deps, access: PeerAccess): Promise<AdmittedCaller> {
  const opened = await openCaller(deps, access);
  return { ...await admitOpened(opened, access), presented: { access, opened } };
}

/**
 * Identifies a caller whose key or certificate was accepted, as far as that needs no body.
 * @throws ServiceError `federation_token_invalid`, `unauthenticated`, `rate_limited`
 */
export async function admitOpened(
  found: Opened,
  access: PeerAccess,
): Promise<Omit<AdmittedCaller, "presented">> {
  const { ctx: opened, isInvited } = found;
  try {
    // The holder of an invitation's key is not a key holder: the key serves to join, and after that needs the token.
    const admits = isInvited ? access.admits.filter((who) => who !== "key_holder") : access.admits;
    const arrived: Arrived = { body: new Uint8Array() };
    const { caller, token } = await identify(found, { ...access, admits }, arrived);
    const ctx = contextOf(opened, caller);
    if (caller.kind === "peer") await takePeerRequest(ctx, access.cost);
    const accept = (body: Uint8Array) => {
      arrived.body = body;
      return acceptBody(ctx, token, body, access);
    };
    return { ctx, acceptBody: accept };
  } catch (error) {
    if (error instanceof ServiceError && error.code !== "rate_limited" && error.code !== "unavailable") {
      auditTrailOf(opened.deps).noteRefusal(opened, error.code);
    }
    throw error;
  }
}

/** Makes the context of an identified caller. A peer gets the lower clearance of its entry and its key. */
function contextOf(opened: OperationContext, caller: FederationCaller): OperationContext {
  if (caller.kind !== "peer") return { ...opened, federation: caller };
  const { peer } = caller;
  const { scopes, maxSensitivity } = rightsOf(peer);
  const principal: Principal = {
    actor: actorOf(peer),
    workspaceId: opened.workspaceId,
    scopes,
    maxSensitivity: leastSensitive(maxSensitivity, opened.maxSensitivity),
    credential: opened.credential,
  };
  const spend = (cost: number) => takePeerRequest({ deps: opened.deps, ...principal }, cost);
  return createContext(opened.deps, principal, { ...opened, federation: caller, spend });
}

interface Identified {
  readonly caller: FederationCaller;
  readonly token: RequestToken | undefined;
}

async function identify(found: Opened, access: PeerAccess, arrived: Arrived): Promise<Identified> {
  const { token: text = access.headers.get(TOKEN_HEADER) } = access;
  try {
    return text === null ? await identifyWithout(found, access) : await identifyBy(found, access, text, arrived);
  } catch (error) {
    if (error instanceof TokenFault) throw refuseToken(found.ctx, error.check, access, found.bound?.id);
    throw error;
  }
}

/**
 * Identifies a caller without a token.
 * @throws TokenFault if this caller needs a token
 */
async function identifyWithout(found: Opened, { headers, admits }: PeerAccess): Promise<Identified> {
  const { bound } = found;
  const named = headers.get(PEER_HEADER);
  // A peer that leaves its token out does not become a mere key holder.
  if (bound !== undefined && hasKey(bound)) throw new TokenFault("missing");
  if (bound !== undefined || named !== null) return await identifyUnsigned(found, named ?? "", "peer");
  if (!admits.includes("key_holder")) throw new TokenFault("missing");
  return { caller: { kind: "key_holder" }, token: undefined };
}

/**
 * Identifies a peer by its API key or certificate alone, because its entry has no key that verifies a token. If no API key
 * is bound to the entry, any that belongs to no peer will do: it has the scope `federation` in this workspace.
 * @param check what the log says of a caller that is no such peer
 * @throws TokenFault
 */
async function identifyUnsigned({ ctx, bound, isInvited }: Opened, id: string, check: string): Promise<Identified> {
  const peer = bound ?? await ctx.tx((tx: Tx) => findPeer(ctx.deps, tx, id), { readOnly: true });
  const isIts = bound !== undefined || (peer?.inboundKeyId === null && isInvited !== true);
  if (peer === undefined || peer.id !== id || hasKey(peer) || !isIts) throw new TokenFault(check);
  requireOwnPin(ctx, peer);
  return { caller: { kind: "peer", peer, isSigned: false, payloadHash: undefined }, token: undefined };
}

/**
 * Identifies a caller by its token.
 * @throws TokenFault
 */
async function identifyBy(
  found: Opened,
  access: PeerAccess,
  text: string,
  arrived: Arrived,
): Promise<Identified> {
  const { ctx: opened, bound } = found;
  const { deps } = opened;
  const { method, target } = access;
  const read = readRequestToken(text);
  if (bound !== undefined && bound.id !== read.iss) throw new TokenFault("iss");
  const peer = await opened.tx((tx: Tx) => findPeer(deps, tx, read.iss), { readOnly: true });
  if (peer === undefined) {
    if (!access.admits.includes("stranger")) throw new TokenFault("iss");
    return { caller: stranger(opened, read, access, arrived), token: undefined };
  }
  // Nothing here verifies the token of a peer whose key this instance was not given.
  if (!hasKey(peer)) return await identifyUnsigned(found, peer.id, "kid");
  await verifyRequestSignature(read, signingKeysOf(peer, deps.clock()));
  const { jti, iat } = read.claims;
  if (typeof jti === "string") access.onProven?.({ instance: peer.id, jti });
  const token = proveClaims(opened, peer, () => checkRequestClaims(deps, read, { method, target }), iat);
  requireOwnPin(opened, peer);
  return { caller: { kind: "peer", peer, isSigned: true, payloadHash: token.payloadHash }, token };
}

/** @throws ServiceError `unauthenticated` if the caller came with a certificate that is not the peer's */
function requireOwnPin(opened: OperationContext, peer: Peer): void {
  const { deps, certificatePin, workspaceId } = opened;
  const pins = clientPinsOf(peer, deps.clock());
  if (certificatePin === undefined || pins.length === 0 || pins.includes(certificatePin)) return;
  noteWrongPin(deps, workspaceId, { ...subjectOf(opened), actor: actorOf(peer) }, peer);
  throw wrongCertificate();
}

/** Runs the check of a genuine token's claims. If its clock is too far off, the log gets the difference. */
function proveClaims(opened: OperationContext, peer: Peer, check: () => RequestToken, iat: unknown): RequestToken {
  try {
    return check();
  } catch (error) {
    if (error instanceof TokenFault && error.check === "clock") {
      const skewSeconds = Math.round(Number(iat) - opened.deps.clock().getTime() / 1_000);
      const { workspaceId } = opened;
      federationClockSkew(opened.deps.telemetry.log, { workspaceId, peer: peer.id, skewSeconds });
    }
    throw error;
  }
}

/**
 * Makes the refusal of a token. The caller learns whether its clock is wrong, which it can correct, and nothing else.
 */
export function refuseToken(
  ctx: OperationContext,
  check: string,
  { requestId }: Pick<PeerAccess, "requestId">,
  peer?: string,
): ServiceError {
  const { deps, workspaceId } = ctx;
  const reason = check === "clock" ? "clock" : "invalid";
  deps.telemetry.metrics.countRefusedToken(reason);
  federationTokenRefused(deps.telemetry.log, { requestId, workspaceId, check, peer });
  const serverTime = deps.clock().toISOString();
  return new ServiceError("federation_token_invalid", "Cannot accept the federation token", {
    extra: reason === "clock" ? { reason, serverTime } : { reason },
  });
}

const BURST = 120;

/** Takes from the peer's rate in its workspace, whichever key it presents. */
function takePeerRequest(
  { deps, actor, workspaceId }: Pick<OperationContext, "deps" | "actor" | "workspaceId">,
  cost: number = 1,
): Promise<void> {
  const { perMinute } = deps.config.federation;
  const rateLimit = { perMinute, burst: Math.min(BURST, perMinute) };
  return takeRequest(deps, { actor, workspaceId, rateLimit }, { cost });
}

async function acceptBody(
  ctx: OperationContext,
  token: RequestToken | undefined,
  body: Uint8Array,
  access: PeerAccess,
): Promise<void> {
  try {
    if (token !== undefined) await useToken(ctx, token, body, access);
    refuseState(ctx, access.admits);
    if (ctx.federation?.kind === "peer") await notePeerHeard(ctx, ctx.federation.peer);
    const named = new URL(access.target, "https://any").searchParams.get("workspace");
    // For this caller no other workspace exists. The schema refuses a text that is no id.
    if (named !== null && looksLikeUuid(named) && named !== ctx.workspaceId) {
      throw new ServiceError("not_found", "Cannot find this workspace");
    }
  } catch (error) {
    if (error instanceof ServiceError && error.code !== "replay_detected" && error.code !== "unavailable") {
      auditTrailOf(ctx.deps).noteRefusal(ctx, error.code);
    }
    throw error;
  }
}

async function useToken(
  ctx: OperationContext,
  token: RequestToken,
  body: Uint8Array,
  access: Pick<PeerAccess, "requestId">,
): Promise<void> {
  const { deps } = ctx;
  if (!isBodyOf(token, body)) throw refuseToken(ctx, "payload_hash", access, token.iss);
  if (await claimOnce(deps, token.iss, token.jti, token.secondsLeft)) return;
  deps.telemetry.metrics.countRefusedToken("replay");
  deps.telemetry.metrics.countReplay(token.iss);
  const { federation } = ctx;
  auditTrailOf(deps).note(ctx.workspaceId, subjectOf(ctx), {
    eventType: "federation.replay_detected",
    outcome: "replay_detected",
    targets: federation?.kind === "peer" ? [federation.peer.uid] : [],
    detail: { peer: token.iss },
  });
  throw new ServiceError("replay_detected", "Cannot accept the federation token: it was used before");
}

/** Refuses a peer that is not approved, or for which no handshake, of either side, was completed. */
function refuseState({ federation }: OperationContext, admits: PeerAccess["admits"]): void {
  if (federation?.kind !== "peer") return;
  const { peer } = federation;
  const reason = peer.approvedAt === null
    ? "it is not approved"
    : peer.verifiedAt === null && !admits.includes("unverified")
    ? "no handshake with it was completed"
    : undefined;
  if (reason === undefined) return;
  throw new ServiceError("insufficient_scope", `Cannot serve this peer: ${reason}`);
}

/**
 * Lets a caller that is no peer yet prove its identity, once something else vouches for its public key.
 * @param arrived holds the body as soon as it has been read
 */
function stranger(
  opened: OperationContext,
  read: ReturnType<typeof readRequestToken>,
  access: PeerAccess,
  arrived: Arrived,
): FederationCaller {
  return {
    kind: "stranger",
    async prove(publicKey) {
      try {
        await verifyRequestSignature(read, [publicKey]);
        const token = checkRequestClaims(opened.deps, read, access);
        access.onProven?.({ instance: token.iss, jti: token.jti });
        await useToken(opened, token, arrived.body, access);
        return token.iss;
      } catch (error) {
        if (error instanceof TokenFault) throw refuseToken(opened, error.check, access);
        throw error;
      }
    },
  };
}
