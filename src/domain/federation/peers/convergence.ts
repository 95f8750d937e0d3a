/**
 * Decides whether two instances come to show the same. Each tells the other in its handshake how it settles
 * contradictions, as one of its capabilities, which older builds ignore.
 */
import { CONFLICT_RESOLUTIONS, type ConflictResolution } from "../../../schema/federation_peer.ts";

/** The capability that announces a policy. */
export function policyCapability(policy: ConflictResolution): string {
  return `settles-${policy.replace("_", "-")}`;
}

/** The policy that a peer announced; undefined if it announced none. */
function policyIn(capabilities: unknown): ConflictResolution | undefined {
  if (!Array.isArray(capabilities)) return undefined;
  return CONFLICT_RESOLUTIONS.find((policy) => capabilities.includes(policyCapability(policy)));
}

/** The policy that this instance has chosen for a peer, and the capabilities that the peer announced. */
export interface Policies {
  readonly conflictResolution: ConflictResolution;
  readonly told: Readonly<Record<string, unknown>>;
}

/**
 * Whether this instance and a peer come to show the same; under `manual` and `consensus`, once people have settled the
 * contested items. They do if this instance has one policy for all its approved peers, and either both sides have the
 * same policy, or one of them keeps its own version (`ours_wins`) and all others take it (`theirs_wins`). Null: the
 * peer has not announced its policy.
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
