/**
 * Conflicts between the version shown here and a version of another instance. Recall returns both, marked as contested,
 * and one review and one task ask a person. There is one conflict for each item and writer, however often the writer
 * publishes another version.
 */
import { uuidv7 } from "../../../crypto/ids.ts";
import { type ConflictRow, type ConflictState, saveConflict } from "../../../db/queries/federation_conflicts.ts";
import { findErased } from "../../../db/queries/imports.ts";
import { closeReviewItem, findReviewItem } from "../../../db/queries/review_items.ts";
import type { UnitRow } from "../../../db/queries/unit_columns.ts";
import { findUnits } from "../../../db/queries/units.ts";
import type { Tx } from "../../../db/tx.ts";
import type { ConflictResolution } from "../../../schema/federation_peer.ts";
import { archive } from "../../unit/archive.ts";
import { markDisputed } from "../../unit/dispute.ts";
import { openReviewItem } from "../../unit/review_item.ts";
import { mostSensitive } from "../../unit/trust.ts";
import { completeTask, openTask } from "../register/conflict_task.ts";
import { type KnownItem, withConflict, withoutConflict } from "../register/known_item.ts";
import type { SharedForm } from "../register/shared_form.ts";
import { type AdoptingTransaction, storeContested, versionId } from "./write_adopted_unit.ts";
import type { PreparedText } from "../../unit/indexing.ts";

/** A version that contradicts what is shown. */
export interface Rival {
  readonly writer: string;
  readonly content: SharedForm;
  readonly text: PreparedText | undefined;
  readonly strategy: ConflictResolution;
}

/** Opens a conflict, or updates the open one of the same writer with the writer's latest version. */
export async function openConflict(
  receiving: AdoptingTransaction,
  item: KnownItem,
  rival: Rival,
): Promise<KnownItem> {
  const { tx } = receiving;
  const { writer, strategy } = rival;
  const known = item.conflicts.get(writer);
  const other = await storeOther(receiving, item, rival);
  const shown = item.unit ?? item.relation!;
  const sensitivity = mostSensitive(
    shown.sensitivity,
    other?.sensitivity ?? "internal",
    ...known ? [known.sensitivity] : [],
  );
  if (known !== undefined) {
    const row = { ...known, otherUnitId: other?.id ?? known.otherUnitId, sensitivity };
    await saveConflict(tx, row);
    return withConflict(item, row);
  }
  const id = uuidv7(tx.now);
  const subjectId = other?.id ?? shown.id;
  const detail = { conflictId: id, writer, origin: { ...item.name } };
  const reviewItemId = await openReviewItem(tx, {
    kind: "federation_conflict",
    sensitivity,
    subjectId,
    otherId: shown.id,
    detail,
  });
  const metadata = { ...detail, reviewItemId, unitId: shown.id };
  const taskId = await openTask(tx, { writer, sensitivity, metadata });
  const row: ConflictRow = {
    id,
    origin: item.name,
    writer,
    type: item.type,
    state: "contested",
    unitId: shown.id,
    otherUnitId: other?.id ?? null,
    strategy,
    claims: {},
    reviewItemId,
    taskId,
    sensitivity,
    resolution: null,
    openedAt: tx.now,
    resolvedAt: null,
    resolvedBy: null,
  };
  await saveConflict(tx, row);
  if (item.unit !== undefined) await markDisputed(tx, [item.unit.id], true);
  tx.audit({ eventType: "federation.conflict_opened", targets: [id, shown.id], detail: { peer: writer } });
  return withConflict(item, row);
}

/**
 * Stores the other version as a unit. Entities and relations get none, because two units cannot have their names or
 * ends.
 */
async function storeOther(
  receiving: AdoptingTransaction,
  { name, type }: KnownItem,
  { writer, content, text }: Rival,
): Promise<UnitRow | undefined> {
  if (type === "relation" || type === "entity") return undefined;
  const id = versionId(receiving.tx, name, writer);
  // Somebody erased this writer's version here: the conflict is opened, and the version is not stored again.
  if ((await findErased(receiving.tx, [id])).has(id)) return undefined;
  return await storeContested(receiving, { name, type, content, text }, id);
}

/** How a conflict ended. */
export interface Ending {
  readonly state: Exclude<ConflictState, "contested">;
  readonly outcome: string;
  /** The version that is shown now. */
  readonly winner: { readonly instance: string; readonly version: number; readonly hash: string } | null;
  /** The review that a person is deciding now, and closes. */
  readonly decidedReviewId?: string;
  /** Whether the other version stays in force as an item of its own. */
  readonly keepsOther?: boolean;
}

/** Ends a conflict, if it is open: archives the other version, closes the review and completes the task. */
export async function endConflict(tx: Tx, item: KnownItem, writer: string, ending: Ending): Promise<KnownItem> {
  const conflict = item.conflicts.get(writer);
  if (conflict === undefined) return item;
  const next = withoutConflict(item, writer);
  const { outcome, winner } = ending;
  await saveConflict(tx, {
    ...conflict,
    state: ending.state,
    resolution: { outcome, winner },
    resolvedAt: tx.now,
    resolvedBy: tx.actor,
  });
  if (conflict.otherUnitId !== null && ending.keepsOther !== true) {
    await archiveOther(tx, conflict.otherUnitId, outcome);
  }
  await closeReview(tx, conflict, ending);
  await completeTask(tx, conflict, outcome);
  if (item.unit !== undefined && next.conflicts.size === 0) await markDisputed(tx, [item.unit.id], false);
  const targets = [conflict.id, conflict.unitId];
  tx.audit({ eventType: "federation.conflict_resolved", targets, detail: { peer: writer, outcome } });
  return next;
}

async function archiveOther(tx: Tx, id: string, reason: string): Promise<void> {
  const [other] = await findUnits(tx, [id], { lock: "update" });
  if (other !== undefined) await archive(tx, other, { reason });
}

async function closeReview(
  tx: Tx,
  { reviewItemId }: ConflictRow,
  { outcome, decidedReviewId }: Ending,
): Promise<void> {
  if (reviewItemId === null || reviewItemId === decidedReviewId) return;
  const item = await findReviewItem(tx, reviewItemId, { lock: true });
  if (item?.status !== "open") return;
  const { id: resourceId, version, sensitivity, kind, subjectId } = await closeReviewItem(tx, item.id, "resolved", {
    outcome,
  });
  const payload = { kind, subjectId, action: null };
  tx.record({ kind: "review.resolved", resourceType: "review", resourceId, version, sensitivity, payload });
}
