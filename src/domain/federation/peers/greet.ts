/** Our own handshake with a peer, from which the peer's state follows. */
import type { z } from "zod";
import type { OperationContext } from "../../../context.ts";
import { keyIdOf } from "../../../crypto/ed25519.ts";
import * as members from "../../../db/queries/federation_peers.ts";
import * as queries from "../../../db/queries/federation_peer_standing.ts";
import { ServiceError } from "../../../errors.ts";
import { Challenge, Welcome } from "../../../schema/federation_handshake.ts";
import { OVERLAP_MS } from "../../../schema/federation_peer.ts";
import { HOST_REFUSED, OutboundError, shownReason } from "../../../outbound/failure.ts";
import { checkInput } from "../../../schema/field_errors.ts";
import { parseJson } from "../../../schema/json_text.ts";
import { federationClockSkew, peerHostRefused, peerTrustIncomplete } from "../../../telemetry/federation_events.ts";
import { callPeer, type PeerReply, readProblem } from "./call_peer.ts";
import { introductionTo } from "./handshake.ts";
import { checkChallenge, clockFault, digestOf, makeAnswer, makeHello, toBytes } from "./handshake_messages.ts";
import { eventOfFault, PeerFault } from "./peer_fault.ts";
import { peerSignalsOf } from "./peer_signals.ts";
import { advancePeer } from "./peer_state.ts";
import { findPeer, type Peer, serverPinsOf, signingKeysOf } from "./peers.ts";
import { applyAdvance, notePeerEvent, standingOf } from "./standing.ts";
import { warningsOf } from "./warnings.ts";

const REPLY_BYTES_MAX = 65_536;
const DEADLINE_MS = 20_000;
/** An ACTIVE peer is greeted again after this time, because clocks, certificates and capabilities change. */
const GREETING_MS = 6 * 3_600_000;

/** What a peer has declared in a handshake. */
interface Told {
  readonly capabilities: readonly string[];
  readonly direction: string;
  readonly region: string | null;
  /** The address and client certificate with which we reached it. */
  readonly youAre: Challenge["youAre"];
}

interface Greeted {
  readonly told: Told;
  readonly skewMs: number;
  readonly certificate: PeerReply["certificate"];
}

/** The method, path and limits of every call of a handshake with a peer. */
export function handshakeCall({ remoteWorkspaceId }: Peer) {
  return {
    method: "POST",
    path: `/v1/memory/federation/handshake?workspace=${remoteWorkspaceId}`,
    replyBytesMax: REPLY_BYTES_MAX,
    deadlineMs: DEADLINE_MS,
  } as const;
}

/** Whether the peer must be greeted before any other request to it. */
export function isGreetingDue(peer: Peer, now: Date): boolean {
  if (peer.state !== "ACTIVE") return true;
  const at = peer.told.greetedAt;
  return typeof at !== "string" || now.getTime() - Date.parse(at) >= GREETING_MS;
}

/**
 * Greets a peer and stores the result: the state ACTIVE, or an error and the time of the next attempt.
 * @returns the peer with its new state; undefined if it does not exist or is no longer approved
 * @throws errors of the database, and the reason of `ctx.signal` when that is aborted
 */
export async function greet(ctx: OperationContext, { id }: Pick<Peer, "id">): Promise<Peer | undefined> {
  const peer = await ctx.tx((tx) => findPeer(ctx.deps, tx, id), { readOnly: true });
  if (peer === undefined || peer.approvedAt === null) return undefined;
  using running = peerSignalsOf(ctx.deps).follow(ctx.workspaceId, id);
  try {
    return await noteGreeted(ctx, id, await shakeHands(ctx, peer, running.signal));
  } catch (error) {
    ctx.signal.throwIfAborted();
    // The entry was changed or removed meanwhile, so the result of the old one says nothing about it.
    if (running.signal.aborted) return await ctx.tx((tx) => findPeer(ctx.deps, tx, id), { readOnly: true });
    return await notePeerFault(ctx, id, error);
  }
}

/**
 * Stores that an exchange with a peer failed. Returns the peer with its new state.
 * @throws the error itself if it is no fault of the exchange
 */
export async function notePeerFault(ctx: OperationContext, id: string, error: unknown): Promise<Peer | undefined> {
  const event = eventOfFault(error);
  if (event === undefined) throw error;
  if (error instanceof OutboundError && shownReason(error) === HOST_REFUSED) {
    peerHostRefused(ctx.deps.telemetry.log, { workspaceId: ctx.workspaceId, peerId: id, reason: error.reason });
  }
  return await notePeerEvent(ctx, id, event);
}

async function noteGreeted(ctx: OperationContext, id: string, greeted: Greeted): Promise<Peer | undefined> {
  const { peer, after } = await ctx.tx(async (tx) => {
    const peer = await findPeer(ctx.deps, tx, id, true);
    if (peer === undefined || peer.approvedAt === null) return { peer: undefined, after: [] };
    const told = { ...peer.told, ...greeted.told, greetedAt: tx.now.toISOString() };
    await queries.noteHandshake(tx, id, { told, skewMs: greeted.skewMs });
    await keepCertificate(ctx, tx, peer, greeted.certificate);
    await settleOverlap(tx, peer);
    const advance = advancePeer(standingOf(peer), { kind: "greeted" }, tx.now, Math.random);
    const after = await applyAdvance(ctx, tx, peer, advance);
    const now = await findPeer(ctx.deps, tx, id);
    if (now !== undefined && peer.state !== "ACTIVE") after.push(() => warn(ctx, now));
    return { peer: now, after };
  });
  for (const run of after) run();
  return peer;
}

/** Logs what is missing for more trust in a peer. */
function warn({ deps, workspaceId }: OperationContext, peer: Peer): void {
  const warnings = warningsOf(deps, peer);
  if (warnings.length > 0) peerTrustIncomplete(deps.telemetry.log, { workspaceId, peer: peer.id, warnings });
}

async function keepCertificate(
  { deps }: OperationContext,
  tx: Parameters<typeof queries.noteCertificate>[0],
  peer: Peer,
  certificate: PeerReply["certificate"],
): Promise<void> {
  if (certificate === undefined) return;
  const pins = serverPinsOf(peer, deps.clock());
  await queries.noteCertificate(tx, peer.id, {
    pin: certificate.pin,
    matches: pins.length === 0 ? null : pins.includes(certificate.pin),
    expiresAt: certificate.expiresAt.toISOString(),
    seenAt: tx.now.toISOString(),
  });
}

/**
 * Makes the next pin and key the only ones when their overlap is over. For configured peers the configuration says
 * which count.
 */
async function settleOverlap(tx: Parameters<typeof queries.noteCertificate>[0], peer: Peer): Promise<void> {
  const isOver = (since: Date | null) => since !== null && tx.now.getTime() - since.getTime() > OVERLAP_MS;
  const [pin, key] = [isOver(peer.certPinNextSince), isOver(peer.signingKeyNextSince)];
  if (peer.source === "config" || (!pin && !key)) return;
  await members.writePeerMembers(tx, peer.id, {
    ...peer,
    ...(pin && { certPin: peer.certPinNext, certPinNext: null }),
    ...(key && { signingKey: peer.signingKeyNext, signingKeyNext: null }),
  });
}

/** Both sides prove the keys that the other one knows of them. An instance without a key is known by its certificate. */
async function shakeHands(ctx: OperationContext, peer: Peer, signal: AbortSignal): Promise<Greeted> {
  const { deps } = ctx;
  const { signingKey, config: { instanceId } } = deps;
  const parties = { from: instanceId, to: peer.id, workspace: peer.remoteWorkspaceId };
  const hello = toBytes(makeHello(parties, introductionTo(ctx, peer), deps.clock()));
  const sent = deps.clock();
  const first = await send(ctx, peer, hello, signal);
  const keys = signingKeysOf(peer, deps.clock()).map((publicKey) => ({ keyId: keyIdOf(publicKey), publicKey }));
  const challenge = readReply(Challenge, first.body);
  const skewMs = checkChallenge(challenge, { parties, hello: digestOf(hello), keys, between: [sent, deps.clock()] });
  const skewed = clockFault(skewMs);
  if (skewed !== undefined) {
    const skewSeconds = Math.round(skewMs / 1_000);
    federationClockSkew(deps.telemetry.log, { workspaceId: ctx.workspaceId, peer: peer.id, skewSeconds });
    throw skewed;
  }
  // The peer must be in the region of its entry, whatever it claims.
  if (peer.region !== null && challenge.region !== peer.region) {
    throw new PeerFault(
      "wrong_region",
      "The peer says that it is in another region than its entry: correct one of them",
    );
  }
  const second = await send(ctx, peer, toBytes(makeAnswer(challenge, first.body, signingKey)), signal);
  const welcome = readReply(Welcome, second.body);
  if (welcome.from !== peer.id || welcome.to !== instanceId || welcome.workspace !== peer.remoteWorkspaceId) {
    throw new PeerFault("handshake_failed", "The peer's welcome is for somebody else");
  }
  const { capabilities, direction, region: theirs } = challenge;
  const { youAre } = challenge;
  return { told: { capabilities, direction, region: theirs, youAre }, skewMs, certificate: first.certificate };
}

async function send(
  ctx: OperationContext,
  peer: Peer,
  body: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
): Promise<PeerReply> {
  const reply = await callPeer(ctx, peer, {
    ...handshakeCall(peer),
    body,
    signal,
  });
  refuseReply(ctx, reply);
  return reply;
}

function refuseReply({ deps }: OperationContext, { status, body }: PeerReply): void {
  if (status < 300) return;
  const { code = "unexpected_reply" } = readProblem(body, deps.clock());
  const advice = status === 404
    ? "ask its operator for the id of the workspace and whether the workspace has peers"
    : "look at its log";
  throw new PeerFault(code, `The peer refuses the handshake (${status} ${code}): ${advice}`);
}

function readReply<S extends z.ZodType>(schema: S, body: Uint8Array): z.output<S> {
  let value: unknown;
  try {
    value = parseJson(body);
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause;
    throw new PeerFault("unexpected_reply", "The peer's reply is no JSON: check its endpoint", {
      cause,
    });
  }
  const checked = checkInput(schema, value);
  if (checked.faults) throw new PeerFault("unexpected_reply", "The peer's reply is not one of a handshake");
  return checked.data;
}
