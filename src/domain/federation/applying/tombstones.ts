/**
 * Decides what a peer's tombstone does. A peer may erase an item that began there, or that no other instance has
 * published. Of any other item it only removes its own version. For an item that began here, a person is asked.
 */
import type { ItemOutcome } from "../../../schema/federation_ack.ts";
import { entriesOf, type KnownItem, toEntry } from "../register/known_item.ts";
import type { Effect } from "./effects.ts";
import { isShownProtected } from "./settlement.ts";

export interface TombstonePlan {
  readonly outcome: ItemOutcome;
  readonly effects: readonly Effect[];
}

/**
 * Decides what a peer's erasure of an item does.
 * @param item the item with the tombstone in its register
 * @param instance the id of this instance
 */
export function planTombstone(item: KnownItem, peer: string, instance: string): TombstonePlan {
  if (item.name.instance === instance) return planErasureRequest(item, peer);
  const others = [...item.versions.values()].filter(({ writer }) => writer !== peer);
  const isTheirs = item.name.instance === peer;
  if (!isTheirs && others.length === 0 && item.shown === undefined) return { outcome: "not_found", effects: [] };
  if (isTheirs || others.every((row) => toEntry(row).isDeleted)) {
    const reason = isTheirs ? `erased by its origin, ${peer}` : `erased by ${peer}, which alone said it here`;
    return { outcome: "erased", effects: [{ do: "erase", reason, eventType: "federation.erase_received" }] };
  }
  const outcome = `${peer} took its version back`;
  const effects: Effect[] = [
    ...planTakeBack(item, peer, { outcome, mayShow: isShownProtected(item) }),
    { do: "settle" },
  ];
  return { outcome: "version_removed", effects };
}

/** A peer cannot erase an item that began here. The caller has made sure that the peer may know of the item. */
export function planErasureRequest(item: KnownItem, peer: string): TombstonePlan {
  if ((item.unit ?? item.relation) === undefined) return { outcome: "not_found", effects: [] };
  const ending = { state: "resolved", outcome: `${peer} took its version back`, winner: null } as const;
  return { outcome: "review_opened", effects: [{ do: "askToErase" }, { do: "endConflict", writer: peer, ending }] };
}

/**
 * Decides how a peer's version of an item is removed. What is shown has to be decided again after it.
 * @param how `mayShow`: what is shown stays, even if the peer alone said it
 */
export function planTakeBack(
  item: KnownItem,
  peer: string,
  { outcome, mayShow }: { readonly outcome: string; readonly mayShow: boolean },
): Effect[] {
  const { shown } = item;
  const ending = { state: "resolved", outcome, winner: null, keepsOther: true } as const;
  const effects: Effect[] = [{ do: "endConflict", writer: peer, ending }];
  const other = item.conflicts.get(peer)?.otherUnitId ?? null;
  if (other !== null) effects.push({ do: "eraseUnit", unitId: other, reason: outcome });
  const isShown = shown?.dot.writer === peer && !shown.isOwn && !mayShow;
  const left = entriesOf(item).filter(({ isDeleted }) => !isDeleted);
  // The removed version was the shown one, so the others decide again, as if it had never existed.
  if (isShown && left.length > 0 && left.every(({ hash }) => hash !== shown.hash)) effects.push({ do: "unshow" });
  return effects;
}
