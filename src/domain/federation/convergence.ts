/**
 * Whether two instances come to show the same. Each tells the other in its handshake how it settles contradictions, as
 * one of its capabilities: builds that do not know it pass over it.
 */
import { CONFLICT_RESOLUTIONS, type ConflictResolution } from "../../schema/federation_peer.ts";

/** The capability that tells a policy. */
export function policyCapability(policy: ConflictResolution): string {
  return `settles-${policy.replace("_", "-")}`;
}

/** The policy that a peer told; undefined where it told none. */
function policyIn(capabilities: unknown): ConflictResolution | undefined {
  if (!Array.isArray(capabilities)) return undefined;
  return CONFLICT_RESOLUTIONS.find((policy) => capabilities.includes(policyCapability(policy)));
}

/** What this instance has chosen for a peer, and what the peer has told. */
export interface Policies {
  readonly conflictResolution: ConflictResolution;
  readonly told: Readonly<Record<string, unknown>>;
}

/**
 * Whether this instance and a peer come to show the same, for `manual` and `consensus` once people have settled what is
 * contested. They do where this instance has one policy for all its approved peers, and both sides have the same or one
 * of them keeps its own version (`ours_wins`) and all others take it (`theirs_wins`). Null: the peer has not told its
 * policy.
 * @param peers the approved peers of the workspace
 */
export function convergesWith(peer: Policies, peers: readonly Policies[]): boolean | null {
  const ours = peer.conflictResolution;
  if (peers.some(({ conflictResolution }) => conflictResolution !== ours)) return false;
  const theirs = policyIn(peer.told["capabilities"]);
  if (theirs === undefined) return null;
  const isOrdered = (policy: ConflictResolution) => policy === "ours_wins" || policy === "theirs_wins";
  if (!isOrdered(ours) || !isOrdered(theirs)) return ours === theirs;
  const policies = [ours, ...peers.map(({ told }) => policyIn(told["capabilities"]))];
  return policies.filter((policy) => policy === "ours_wins").length <= 1;
}
