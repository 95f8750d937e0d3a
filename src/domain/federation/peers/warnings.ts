/**
 * What is missing for more trust between this instance and a peer. Nothing of it is required: the exchange goes on, and
 * operators read it in the log, at the peer and in `svc federation doctor`.
 */
import type { Deps } from "../../../context.ts";
import { announces, clientPinsOf, hasKey, isAbroad, type Peer, regionOf, secretsOf, serverPinsOf } from "./peers.ts";
import { sealingKeysFor } from "./sealing_keys.ts";

/** Returns the warnings about a peer, each a sentence that says what to do. */
export function warningsOf(deps: Deps, peer: Peer): string[] {
  return [...warnOfIdentity(deps, peer), ...warnOfSealing(deps, peer), ...warnOfExchange(peer)];
}

function* warnOfIdentity(deps: Deps, peer: Peer): Iterable<string> {
  const now = deps.clock();
  if (deps.signingKey === undefined) {
    yield "This instance signs nothing: set SVC_FEDERATION_PRIVATE_KEY, and give the peer its public key.";
  }
  if (!hasKey(peer)) {
    yield "The peer is known by its API key or certificate alone: set signingPublicKey in its entry.";
    if (peer.inboundKeyId === null && clientPinsOf(peer, now).length === 0) {
      yield "Any API key of the workspace with the scope federation may speak for the peer: bind one to it, or pin its certificate.";
    }
  }
  if (serverPinsOf(peer, now).length === 0) {
    yield "The certificate of its server is not pinned: set certPin in its entry.";
  }
}

function* warnOfSealing(deps: Deps, peer: Peer): Iterable<string> {
  try {
    if (!hasKey(peer) || secretsOf(deps, peer).symmetricKey === undefined) {
      yield "What the peer sends is taken in plain text: set signingPublicKey and symmetricKey in its entry.";
    }
    if (sealingKeysFor({ deps }, peer) === undefined) {
      yield "What the peer is served is plain text: set SVC_FEDERATION_PRIVATE_KEY and SVC_FEDERATION_SYMMETRIC_KEY.";
    }
  } catch {
    // Without the secrets of its entry the peer is not called at all, and its `lastError` says so.
  }
}

function* warnOfExchange(peer: Peer): Iterable<string> {
  const isGreeted = typeof peer.told["greetedAt"] === "string";
  if (isGreeted && regionOf(peer) === null) {
    yield "The region of the peer is not known, so only ids and keyed hashes of facts are exchanged: set region in its entry.";
  } else if (isGreeted && isAbroad(peer)) {
    yield `The peer is in ${
      regionOf(peer)
    } and the workspace in ${peer.homeRegion}, so only ids and keyed hashes of facts are exchanged.`;
  }
  if (isGreeted && peer.direction === "push" && !announces(peer, "push-1")) {
    yield "The peer does not announce that it takes pushed items, so nothing is pushed to it: install a later build there.";
  }
}
