/** Erases items for ever, and asks whether to. */
import { insertDeletion } from "../../../db/queries/deletion_log.ts";
import { deleteConflicts } from "../../../db/queries/federation_conflicts.ts";
import { findByOrigin } from "../../../db/queries/federation_ids.ts";
import { deleteRelation } from "../../../db/queries/relations.ts";
import { listReviewItems } from "../../../db/queries/review_items.ts";
import { findUnits } from "../../../db/queries/units.ts";
import { eraseUnit, signReceipt } from "../../unit/erase.ts";
import { recordTouched } from "../../unit/relation_fields.ts";
import { openReviewItem } from "../../unit/review_item.ts";
import { asErased, type KnownItem } from "../register/known_item.ts";
import { endConflict } from "./open_conflict.ts";
import type { AdoptingTransaction } from "./write_adopted_unit.ts";

/** Opens a review about an item that the peer erased, once for each item and peer. */
export async function askToErase({ tx, peer }: AdoptingTransaction, item: KnownItem): Promise<void> {
  const shown = item.unit ?? item.relation;
  if (shown === undefined) return;
  const filter = { kinds: ["federation_conflict"], statuses: ["open"], unitId: shown.id } as const;
  const open = await listReviewItems(tx, { ...filter, order: "asc", after: undefined, limit: 500 });
  if (open.some(({ detail }) => detail["kind"] === "erase_request" && detail["writer"] === peer)) return;
  await openReviewItem(tx, {
    kind: "federation_conflict",
    sensitivity: shown.sensitivity,
    subjectId: shown.id,
    otherId: null,
    detail: { kind: "erase_request", writer: peer, origin: { ...item.name } },
  });
}

/**
 * Erases the unit or relation that shows an item, all its other versions, and its conflicts. A stand-in belongs to another
 * item and stays.
 * @param how `eventType`: the event's name in the audit log
 */
export async function eraseItem(
  receiving: AdoptingTransaction,
  item: KnownItem,
  { reason, eventType }: { readonly reason: string; readonly eventType: string },
): Promise<KnownItem> {
  const { ctx, tx, peer } = receiving;
  const ending = { state: "resolved", outcome: reason, winner: null, keepsOther: true } as const;
  let next = item;
  for (const writer of item.conflicts.keys()) next = await endConflict(tx, next, writer, ending);
  const { name, row: { role, unitId } } = item;
  const ids = new Set((await findByOrigin(tx, [name])).map(({ id }) => id));
  if (role !== "stand_in") ids.add(unitId);
  const units = await findUnits(tx, [...ids], { lock: "update" });
  for (const unit of units) await eraseUnit(ctx, tx, unit, reason);
  if (role !== "stand_in" && !units.some(({ id }) => id === unitId)) {
    recordTouched(tx, "erased", await deleteRelation(tx, unitId));
    await noteErased(receiving, item, reason);
  }
  await deleteConflicts(tx, name);
  tx.audit({ eventType, targets: [unitId], detail: { peer } });
  return asErased(next);
}

/** Notes an erasure under the local id that the item would have had, so that a late version of it is refused. */
async function noteErased({ ctx, tx }: AdoptingTransaction, item: KnownItem, reason: string): Promise<void> {
  const { unitId } = item.row;
  const receipt = signReceipt(ctx, {
    id: unitId,
    resourceType: item.type,
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
    resourceType: item.type,
    originInstance: item.name.instance,
    sensitivity: item.relation?.sensitivity ?? "internal",
    receipt: { ...receipt },
  });
}
