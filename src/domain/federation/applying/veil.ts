/**
 * What a peer may not learn of. An item above the clearance of a peer, which it was never offered, is to the peer as if
 * it were not here: what the peer says of it is held back, opens no review, and is answered as if it were unknown.
 */
import { isCleared, type Sensitivity } from "../../../schema/common.ts";
import type { ItemOutcome } from "../../../schema/federation_ack.ts";
import { leastSensitive } from "../../unit/trust.ts";
import type { PreparedItem } from "./incoming.ts";
import type { KnownItem } from "../register/known_item.ts";
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
export function isVeiled(item: KnownItem, instance: string, peer: Beholder): boolean {
  const shown = item.unit ?? item.relation;
  return shown !== undefined && item.name.instance !== peer.id && !isCleared(shown.sensitivity, peer.clearance) &&
    !isOffered(item, instance, peer);
}

/** An item as a peer may know it that may not learn of it: with the peer's own versions alone. */
export function veil(item: KnownItem, { id }: Beholder): KnownItem {
  const own = item.versions.get(id);
  return {
    ...item,
    versions: new Map(own === undefined ? [] : [[id, own]]),
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
  item: KnownItem,
  instance: string,
  peer: Beholder,
): ItemOutcome | undefined {
  if (item.name.instance !== instance || isOffered(item, instance, peer)) return undefined;
  if (isDeleted) return outcome === "review_opened" ? "not_found" : undefined;
  return ["applied", "duplicate", "contested", "kept_ours"].includes(outcome) ? "deferred" : undefined;
}
