/** Tries each step of an exchange with a peer and says what to do: `svc federation doctor`. */
import type { OperationContext } from "../../../context.ts";
import { OutboundError, sayToOperator } from "../../../outbound/failure.ts";
import { callRules } from "../peers/call_peer.ts";
import { greet } from "../peers/greet.ts";
import { eventOfFault } from "../peers/peer_fault.ts";
import { findPeer, hasKey, type Peer, secretsOf, serverPinsOf } from "../peers/peers.ts";
import { diagnoseDigest, type DiagnosedStep, diagnosePage, diagnoseSealing } from "./diagnose_exchange.ts";
import { unknownPeer } from "../peers/show_peers.ts";
import { warningsOf } from "../peers/warnings.ts";

const DAY_MS = 86_400_000;
/** A certificate that expires within this many days is reported. */
const EXPIRY_DAYS = 14;

/**
 * Runs the steps in order. Steps that need one that failed are left out.
 * @throws ServiceError `not_found` for an unknown peer
 */
export async function diagnosePeer(ctx: OperationContext, id: string): Promise<DiagnosedStep[]> {
  const peer = await ctx.tx((tx) => findPeer(ctx.deps, tx, id), { readOnly: true });
  if (peer === undefined) throw unknownPeer();
  const steps = [configuration(ctx), secrets(ctx, peer)];
  const approved = peer.approvedAt !== null;
  steps.push({
    name: "approval",
    isOk: approved,
    says: approved ? `by ${peer.approvedBy}` : "approve it: `svc federation peers approve`",
  });
  steps.push(await diagnoseSealing(ctx, peer), ...await reach(ctx, peer));
  if (steps.some(({ isOk }) => !isOk)) return steps;
  const { greeted, told } = await shake(ctx, peer);
  steps.push(...told);
  if (greeted === undefined) return steps;
  return [...steps, await diagnosePage(ctx, greeted), await diagnoseDigest(ctx, greeted), ...trust(ctx, greeted)];
}

function configuration({ deps: { config } }: OperationContext): DiagnosedStep {
  const { endpoint = "an address that SVC_FEDERATION_ENDPOINT does not name" } = config.federation;
  return { name: "configuration", isOk: true, says: `this is ${config.instanceId} at ${endpoint}` };
}

/** Reports what is missing for more trust. It fails nothing. */
function trust({ deps }: OperationContext, peer: Peer): DiagnosedStep[] {
  return warningsOf(deps, peer).map((says) => ({ name: "warning", isOk: true, isWarning: true, says }));
}

function secrets({ deps }: OperationContext, peer: Peer): DiagnosedStep {
  const name = "secrets";
  try {
    const { symmetricKey, apiKey } = secretsOf(deps, peer);
    const parts = [
      peer.signingKey === null ? "no key that verifies what it sends" : "verified by its key",
      symmetricKey === undefined ? "no key opens the items that it seals" : "sealed pages are opened",
      apiKey === undefined ? "no API key: a client certificate has to replace it" : "an API key is presented there",
    ];
    return { name, isOk: true, says: parts.join(", ") };
  } catch (error) {
    return { name, isOk: false, says: (error as Error).message };
  }
}

/** Tries the name, the address, TCP, TLS and the certificate. */
async function reach({ deps }: OperationContext, peer: Peer): Promise<DiagnosedStep[]> {
  const now = deps.clock();
  try {
    const shown = await deps.outbound.probe(peer.endpoint, callRules(peer));
    const pins = serverPinsOf(peer, now);
    const days = Math.floor((shown.expiresAt.getTime() - now.getTime()) / DAY_MS);
    const isKnown = pins.length === 0 ? shown.isBelieved : pins.includes(shown.pin);
    const unknown = pins.length === 0
      ? "no trusted authority signed it: give its entry the pin, or SVC_FEDERATION_CA_FILE the authority"
      : `it has another key (${shown.pin}) than the pinned one: ask the peer's operator`;
    return [
      { name: "address", isOk: true, says: `${peer.endpoint} is at ${shown.address}` },
      { name: "certificate", isOk: isKnown, says: isKnown ? shown.pin : unknown },
      {
        name: "certificate's name",
        isOk: shown.isForName,
        says: shown.isForName ? "is the peer's" : "it is for another name: correct the endpoint or the certificate",
      },
      {
        name: "certificate's dates",
        isOk: days >= 0,
        says: days < 0
          ? "it has expired"
          : days < EXPIRY_DAYS
          ? `it expires in ${days} days: renew it`
          : `${days} days left`,
      },
    ];
  } catch (error) {
    const event = eventOfFault(error);
    if (event?.kind !== "failed") throw error;
    const name = error instanceof OutboundError ? error.reason.replaceAll("_", " ") : "address";
    return [{ name, isOk: false, says: error instanceof OutboundError ? sayToOperator(error) : event.message }];
  }
}

/**
 * Tries the token, the clock and the handshake, and reports how the other side saw us. A greeted peer is reported with
 * its new state.
 */
async function shake(
  ctx: OperationContext,
  before: Peer,
): Promise<{ readonly greeted: Peer | undefined; readonly told: DiagnosedStep[] }> {
  const fail = (says: string) => ({ greeted: undefined, told: [{ name: "handshake", isOk: false, says }] });
  const peer = await greet(ctx, before);
  if (peer === undefined) return fail("the peer was removed meanwhile");
  if (peer.state !== "ACTIVE") {
    const { code, message } = peer.lastError as { code: string; message: string };
    return fail(`${code}: ${message}`);
  }
  return { greeted: peer, told: tellGreeted(peer) };
}

function tellGreeted(peer: Peer): DiagnosedStep[] {
  const { direction, youAre } = peer.told as { direction?: string; youAre?: Record<string, string | null> };
  return [
    {
      name: "handshake",
      isOk: true,
      says: hasKey(peer) ? "it proved its key" : "it accepts us",
    },
    ...(peer.skewMs === null ? [] : [{ name: "clock", isOk: true, says: `its clock is ${peer.skewMs} ms ahead` }]),
    ...(youAre === undefined ? [] : [{
      name: "seen from there",
      isOk: true,
      says: `from ${youAre.address ?? "an unknown address"}, client certificate ${youAre.certificatePin ?? "none"}`,
    }]),
    { name: "direction", isOk: true, says: `here ${peer.direction}, there ${direction ?? "unknown"}` },
  ];
}
