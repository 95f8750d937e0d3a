/**
 * What a peer may not learn of. An item above the clearance of a peer, which it was never offered, is to the peer as if
 * it were not here: what the peer says of it is held back, opens no review, and is answered as if it were unknown.
 */
import { isCleared, type Sensitivity } from "../../../schema/common.ts";
import type { ItemOutcome } from "../../../schema/federation_ack.ts";
import { leastSensitive } from "../../unit/trust.ts";
import type { PreparedItem } from "./incoming.ts";
import type { KnownItem } from "../register/item_states.ts";
import type { Peer } from "../peers/peers.ts";

/** Whom a veil is for. */
export interface Beholder {
  readonly id: string;
  readonly clearance: Sensitivity;
}

/**
 * Makes the beholder of a peer.
 * @param atMost the clearance of the key with which it sent its request
 */
export function beholderOf(id: string, peer: Pick<Peer, "maxSensitivity"> | undefined, atMost: Sensitivity): Beholder {
  return { id, clearance: leastSensitive(peer?.maxSensitivity ?? "public", atMost) };
}

/** Whether this instance ever offered an item to a peer. */
function isOffered({ versions }: KnownItem, instance: string, { clearance }: Beholder): boolean {
  const own = versions.get(instance);
  return own !== undefined && isCleared(own.leastSensitivity, clearance);
}

/** Whether an item is here and a peer may not learn of it. */
export function isVeiled(state: KnownItem, instance: string, peer: Beholder): boolean {
  const shown = state.unit ?? state.relation;
  return shown !== undefined && state.name.instance !== peer.id && !isCleared(shown.sensitivity, peer.clearance) &&
    !isOffered(state, instance, peer);
}

/** An item as a peer may know it that may not learn of it: with the peer's own versions alone. */
export function veil(state: KnownItem, { id }: Beholder): KnownItem {
  const said = state.versions.get(id);
  return {
    ...state,
    versions: new Map(said === undefined ? [] : [[id, said]]),
    conflicts: new Map(),
    unit: undefined,
    relation: undefined,
    shown: undefined,
  };
}

/**
 * The outcome that a peer is told for an item that began here and that it was never offered: the same whether the item is
 * veiled from it, was lost here, or never was. Undefined: it is told the outcome itself.
 */
export function toldOf(
  outcome: ItemOutcome,
  { isDeleted }: Pick<PreparedItem, "isDeleted">,
  state: KnownItem,
  instance: string,
  peer: Beholder,
): ItemOutcome | undefined {
  if (state.name.instance !== instance || isOffered(state, instance, peer)) return undefined;
  if (isDeleted) return outcome === "review_opened" ? "not_found" : undefined;
  return ["applied", "duplicate", "contested", "kept_ours"].includes(outcome) ? "deferred" : undefined;
}
