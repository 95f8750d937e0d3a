/**
 * Applies the tombstones of peers. A peer may erase an item that began there, or that no other instance has published.
 * Of any other item it only removes its own version. For an item that began here, a person is asked.
 */
import { insertDeletion } from "../../../db/queries/deletion_log.ts";
import { deleteConflicts } from "../../../db/queries/federation_conflicts.ts";
import { findByOrigin } from "../../../db/queries/federation_ids.ts";
import { deleteRelation } from "../../../db/queries/relations.ts";
import { findUnits } from "../../../db/queries/units.ts";
import type { ItemOutcome } from "../../../schema/federation_ack.ts";
import { eraseUnit, signReceipt } from "../../unit/erase.ts";
import { recordTouched } from "../../unit/relation_fields.ts";
import { openReviewItem } from "../../unit/review_item.ts";
import { listReviewItems } from "../../../db/queries/review_items.ts";
import { closeConflict } from "./open_conflict.ts";
import { type KnownItem, putWord, setVerdict, toEntry } from "../register/item_states.ts";
import { isShownProtected, settleItem, type Settling } from "./settle.ts";
import type { Receiving } from "./write_adopted_unit.ts";

/** Carries out a peer's erasure of an item. The tombstone is in the register already. */
export async function receiveTombstone(settling: Settling, state: KnownItem): Promise<ItemOutcome> {
  const { ctx, peer } = settling;
  const { instanceId } = ctx.deps.config;
  setVerdict(state, peer, "erased");
  putWord(state, peer, null);
  if (state.name.instance === instanceId) return await askAboutErasure(settling, state);
  const others = [...state.versions.values()].filter(({ writer }) => writer !== peer);
  const isTheirs = state.name.instance === peer;
  if (!isTheirs && others.length === 0 && state.shown === undefined) return "not_found";
  if (isTheirs || others.every((row) => toEntry(row).isDeleted)) {
    const why = isTheirs ? `erased by its origin, ${peer}` : `erased by ${peer}, which alone said it here`;
    await eraseItem(settling, state, why);
    return "erased";
  }
  await takeBack(settling, state, { outcome: `${peer} took its version back`, mayShow: isShownProtected(state) });
  return "version_removed";
}

/**
 * Asks a person, once for each item and peer: a peer cannot erase an item that began here. The caller has made sure that
 * the peer may know of it.
 */
export async function askAboutErasure({ tx, peer }: Receiving, state: KnownItem): Promise<ItemOutcome> {
  const shown = state.unit ?? state.relation;
  if (shown === undefined) return "not_found";
  const filter = { kinds: ["federation_conflict"], statuses: ["open"], unitId: shown.id } as const;
  const open = await listReviewItems(tx, { ...filter, order: "asc", after: undefined, limit: 500 });
  const isAsked = open.some(({ detail }) => detail["kind"] === "erase_request" && detail["writer"] === peer);
  if (!isAsked) {
    await openReviewItem(tx, {
      kind: "federation_conflict",
      sensitivity: shown.sensitivity,
      subjectId: shown.id,
      otherId: null,
      detail: { kind: "erase_request", writer: peer, origin: { ...state.name } },
    });
  }
  if (state.conflicts.has(peer)) {
    const winner = null;
    await closeConflict(tx, state, peer, { state: "resolved", outcome: `${peer} took its version back`, winner });
  }
  return "review_opened";
}

/**
 * Removes a peer's version of an item. The other versions decide what is shown.
 * @param how `mayShow`: what is shown stays, even if the peer alone said it
 * @returns false if the content of those versions is not stored
 */
export async function takeBack(
  settling: Settling,
  state: KnownItem,
  { outcome, mayShow }: { readonly outcome: string; readonly mayShow: boolean },
): Promise<boolean> {
  const { tx, peer } = settling;
  const other = state.conflicts.get(peer)?.otherUnitId ?? null;
  await closeConflict(tx, state, peer, { state: "resolved", outcome, winner: null, keepsOther: true });
  const [unit] = other === null ? [] : await findUnits(tx, [other], { lock: "update" });
  if (unit !== undefined) await eraseUnit(settling.ctx, tx, unit, outcome);
  const isShown = state.shown?.dot.writer === peer && state.shown.isOwn === false && !mayShow;
  const left = [...state.versions.values()].filter((row) => !toEntry(row).isDeleted);
  // The removed version was the shown one, so the others decide again, as if it had never existed.
  if (isShown && left.length > 0 && left.every(({ hash }) => hash !== state.shown!.hash)) state.shown = undefined;
  return await settleItem(settling, state);
}

/**
 * Erases an item for ever: the unit or relation that shows it, all its other versions, and its conflicts. A stand-in
 * belongs to another item and stays.
 * @param eventType the event's name in the audit log
 */
export async function eraseItem(
  receiving: Receiving,
  state: KnownItem,
  reason: string,
  eventType = "federation.erase_received",
): Promise<void> {
  const { ctx, tx, peer } = receiving;
  for (const writer of [...state.conflicts.keys()]) {
    await closeConflict(tx, state, writer, { state: "resolved", outcome: reason, winner: null, keepsOther: true });
  }
  const versions = await findByOrigin(tx, [state.name]);
  const ids = new Set(versions.map(({ id }) => id));
  if (state.row.role !== "stand_in") ids.add(state.row.unitId);
  const units = await findUnits(tx, [...ids], { lock: "update" });
  for (const unit of units) await eraseUnit(ctx, tx, unit, reason);
  if (state.row.role !== "stand_in" && !units.some(({ id }) => id === state.row.unitId)) {
    recordTouched(tx, "erased", await deleteRelation(tx, state.row.unitId));
    await noteErased(receiving, state, reason);
  }
  await deleteConflicts(tx, state.name);
  for (const writer of state.words.keys()) putWord(state, writer, null);
  for (const { writer, verdict } of state.versions.values()) if (verdict !== "own") setVerdict(state, writer, "erased");
  state.unit = undefined;
  state.relation = undefined;
  state.shown = undefined;
  state.isErased = true;
  const nothing = { shownWriter: null, shownVersion: null, shownHash: null, context: {}, settled: {}, isOwn: false };
  state.row = { ...state.row, ...nothing, role: state.row.role === "stand_in" ? "stand_in" : "reserved" };
  state.changed.row = true;
  tx.audit({ eventType, targets: [state.row.unitId], detail: { peer } });
}

/** Notes an erasure under the local id that the item would have had, so that a late version of it is refused. */
async function noteErased({ ctx, tx }: Receiving, state: KnownItem, reason: string): Promise<void> {
  const { unitId } = state.row;
  const receipt = signReceipt(ctx, {
    id: unitId,
    resourceType: state.type,
    erasedAt: tx.now.toISOString(),
    erasedBy: tx.actor,
    reason,
    removed: { revisions: 0, texts: 0, reviewItems: 0, relations: 0 },
    staleDependants: 0,
    moreDependants: false,
    instance: ctx.deps.config.instanceId,
  });
  await insertDeletion(tx, {
    resourceId: unitId,
    resourceType: state.type,
    originInstance: state.name.instance,
    sensitivity: state.relation?.sensitivity ?? "internal",
    receipt: { ...receipt },
  });
}
