/** What the log says of peers and of the keys for them: one function per event. */
import type { Log } from "./log.ts";

/** The instance's keys cannot be read: nothing is signed or sealed. */
export function serveCryptoInitFailed(log: Log, fields: { error: unknown }): void {
  log.error("federation.serve_crypto_init_failed", fields);
}

/**
 * The token of a request between instances was refused. `check` names the check that failed; the sender does not learn
 * it.
 */
export function federationTokenRefused(
  log: Log,
  fields: { requestId: string; workspaceId: string; check: string; peer: string | undefined },
): void {
  log.warn("federation.token_refused", fields);
}

/**
 * The clocks of two instances are too far apart to accept a token. `skewSeconds`: by how much the peer's clock is
 * ahead.
 */
export function federationClockSkew(
  log: Log,
  fields: { workspaceId: string; peer: string; skewSeconds: number },
): void {
  log.warn("federation.clock_skew", fields);
}

/** The configuration names a peer that somebody had added to the workspace; from now on the configured entry counts. */
export function configuredPeerTakesOver(log: Log, fields: { workspaceId: string; peer: string }): void {
  log.warn("federation.configured_peer_takes_over", fields);
}

/** The configuration names a peer that a person removed; it stays removed until somebody adds it again. */
export function removedPeerIsConfigured(log: Log, fields: { workspaceId: string; peer: string }): void {
  log.warn("federation.removed_peer_is_configured", fields);
}

/** No exchange with a peer has succeeded for a day. This is logged once, until an exchange succeeds. */
export function peerStale(log: Log, fields: { workspaceId: string; peer: string; since: string | null }): void {
  log.error("federation.peer_stale", fields);
}

/** A peer can be reached, and more trust in it is possible. */
export function peerTrustIncomplete(
  log: Log,
  fields: { workspaceId: string; peer: string; warnings: readonly string[] },
): void {
  log.warn("federation.peer_trust_incomplete", fields);
}

/** A peer was not called because of its host. Who sees the peer is not told which of the reasons it was. */
export function peerHostRefused(log: Log, fields: { workspaceId: string; peerId: string; reason: string }): void {
  log.info("federation.host_refused", fields);
}

/** The DNS lookup of peers failed; the known peers stay. */
export function discoveryFailed(log: Log, fields: { error: unknown }): void {
  log.warn("federation.discovery_failed", fields);
}

/** A key has sealed half of the items that it may; set another one. Logged once. `to` is the reader that was served. */
export function sealKeyWorn(log: Log, fields: { workspaceId: string; to: string; items: number; max: number }): void {
  log.warn("federation.seal_key_worn", fields);
}

/** A key has sealed as many items as it may; the service serves nothing under it. */
export function sealKeyUsedUp(log: Log, fields: { workspaceId: string; to: string; max: number }): void {
  log.error("federation.seal_key_used_up", fields);
}

/** A turn with a peer failed; the next turn continues. */
export function turnFailed(log: Log, fields: { workspaceId: string; peer: string; error: unknown }): void {
  log.warn("federation.turn_failed", fields);
}
