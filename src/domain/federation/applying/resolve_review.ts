/**
 * Carries out a person's decision in a review about a peer: how a conflict is settled, or whether an item that the peer
 * erased is erased here too.
 */
import type { OperationContext } from "../../../context.ts";
import { findConflictOfReview, saveConflict } from "../../../db/queries/federation_conflicts.ts";
import type { ReviewItemRow } from "../../../db/queries/review_items.ts";
import { findRelations } from "../../../db/queries/relations.ts";
import { deleteReviewItems } from "../../../db/queries/review_items.ts";
import type { UnitRow } from "../../../db/queries/unit_columns.ts";
import { findUnits } from "../../../db/queries/units.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import type { ItemName } from "../../../schema/federation_item.ts";
import { type MergedFact, type ResolveReviewBody, REVIEW_ACTIONS, type ReviewAction } from "../../../schema/review.ts";
import { derivedColumns, type FactBody, isFact } from "../../kinds/facts/fields.ts";
import { settleRevision } from "../../kinds/facts/update.ts";
import { putRelationAway } from "../../relations/update.ts";
import { markDisputed } from "../../unit/dispute.ts";
import { eraseUnit } from "../../unit/erase.ts";
import { type PreparedText, prepareTexts } from "../../unit/indexing.ts";
import { noteOf, type ReviewEffect, type ReviewResolver } from "../../unit/review_resolver.ts";
import { loadItem, saveKnown } from "../register/stored_items.ts";
import { lockPublication } from "../register/publish.ts";
import { apply } from "./apply.ts";
import { refuse } from "./refuse.ts";
import { requireSettler, settleByPerson } from "./settle_by_person.ts";
import { readSettling } from "./decision_inputs.ts";

/** The possible decisions about a peer's request to erase an item. */
const ERASURE_ACTIONS: readonly ReviewAction[] = ["keep_local", "accept_incoming"];

/** Resolves reviews of the kind `federation_conflict`. */
export const FEDERATION_CONFLICT: ReviewResolver = {
  actions: REVIEW_ACTIONS,
  actionsOf: (item) => isEraseRequest(item) ? ERASURE_ACTIONS : REVIEW_ACTIONS,
  // The decision is published, and publication's lock is the first in the order of locks.
  lock: (tx) => lockPublication(tx),
  async prepare(ctx, seen, body) {
    if (isEraseRequest(seen)) {
      if (body.action === "accept_incoming") requireEraser(ctx);
      return (tx, item) => decideErasure(ctx, tx, item, body);
    }
    requireSettler(ctx);
    const prepared = await prepareMerged(ctx, body.merged);
    if (body.action === "merge" && prepared === undefined) {
      throw new ServiceError(
        "validation_failed",
        "Cannot merge: the two contradict each other, so say in `merged` what is true",
        {
          errors: [{ path: "merged", message: "is required" }],
        },
      );
    }
    return (tx, item) => decideConflict(ctx, tx, item, body, prepared);
  },
  // The shown version stays, and nobody is asked again until the peer publishes another version.
  async dismiss(ctx, tx, item) {
    const conflict = await findConflictOfReview(tx, item.id);
    if (conflict?.state !== "contested") return;
    requireSettler(ctx);
    const resolution = { outcome: "dismissed", winner: null };
    await saveConflict(tx, { ...conflict, state: "dismissed", resolution, resolvedAt: tx.now, resolvedBy: tx.actor });
    await markDisputed(tx, [conflict.unitId], false);
  },
};

function isEraseRequest({ detail }: ReviewItemRow): boolean {
  return detail["kind"] === "erase_request";
}

/** @throws ServiceError `insufficient_scope` without `memory:delete` */
function requireEraser({ scopes }: OperationContext): void {
  if (scopes.has("memory:delete")) return;
  throw new ServiceError("insufficient_scope", "Cannot erase: the key lacks the scope memory:delete");
}

async function prepareMerged(ctx: OperationContext, merged: MergedFact | undefined): Promise<PreparedText | undefined> {
  if (merged === undefined) return undefined;
  const [prepared] = await prepareTexts(ctx, [{ kind: "fact", sensitivity: "internal", text: merged.statement }]);
  return prepared;
}

/** Decides whether to erase an item that began here and that a peer erased. */
async function decideErasure(
  ctx: OperationContext,
  tx: Tx,
  item: ReviewItemRow,
  body: ResolveReviewBody,
): Promise<ReviewEffect> {
  if (body.action === "keep_local") return { outcome: "kept", units: [] };
  const { subjectId: id } = item;
  const reason = noteOf(item, body);
  const [unit] = await findUnits(tx, [id], { lock: "update" });
  if (unit !== undefined) {
    await eraseUnit(ctx, tx, unit, reason, { decidedReviewId: item.id });
    return { outcome: "erased", units: [] };
  }
  const [relation] = await findRelations(tx, [id]);
  if (relation === undefined) throw refuse("the unit or relation is not there");
  await eraseRelation(ctx, tx, item, reason);
  return { outcome: "erased", units: [] };
}

/** Erases a relation that began here, as a peer asks. What it `supersedes` comes back into force, as by archiving it. */
async function eraseRelation(ctx: OperationContext, tx: Tx, item: ReviewItemRow, reason: string): Promise<void> {
  await putRelationAway(tx, item.subjectId, undefined);
  const name = item.detail["origin"] as ItemName;
  const known = await loadItem(ctx, tx, name, "relation");
  const settling = await readSettling(ctx, tx, String(item.detail["writer"]));
  await deleteReviewItems(tx, item.subjectId, item.id);
  const erased = await apply(settling, known, [{ do: "erase", reason, eventType: "federation.erase_accepted" }]);
  await saveKnown(tx, [erased]);
}

async function decideConflict(
  ctx: OperationContext,
  tx: Tx,
  item: ReviewItemRow,
  body: ResolveReviewBody,
  prepared: PreparedText | undefined,
): Promise<ReviewEffect> {
  const conflict = await findConflictOfReview(tx, item.id);
  if (conflict?.state !== "contested") throw refuse("it has been settled");
  const { origin: name, type, writer } = conflict;
  const known = await loadItem(ctx, tx, name, type);
  const outcomes = {
    keep_local: "what was here is kept",
    accept_incoming: `what ${writer} says is shown`,
    keep_both: "both stand",
    merge: "both became one",
  };
  const reason = noteOf(item, body);
  const settled = await settleByPerson(await readSettling(ctx, tx, writer), known, {
    outcome: outcomes[body.action],
    reviewItemId: item.id,
    ...(body.action === "accept_incoming" && { writer }),
    ...(body.action === "keep_both" && { keeps: writer }),
    ...(body.action === "merge" && { rewrite: (unit) => merge(tx, unit, body.merged!, prepared!, reason) }),
  });
  await saveKnown(tx, [settled]);
  const rows = await findUnits(tx, [
    settled.row.unitId,
    ...conflict.otherUnitId === null ? [] : [conflict.otherUnitId],
  ]);
  return { outcome: outcomes[body.action], units: rows.map(({ id, version, status }) => ({ id, version, status })) };
}

/** Writes the content that the person combined from both versions into the shown unit. */
async function merge(
  tx: Tx,
  unit: UnitRow,
  { statement, subject, predicate, object }: MergedFact,
  prepared: PreparedText,
  reason: string,
): Promise<UnitRow> {
  if (!isFact(unit)) throw refuse("facts alone can be merged");
  const body: FactBody = {
    ...unit.body,
    statement,
    ...(subject !== undefined && { subject }),
    ...(predicate !== undefined && { predicate }),
    ...(object !== undefined && { object }),
  };
  const { row } = await settleRevision(tx, unit, { ...unit, ...derivedColumns(body) }, {
    event: "merged",
    reason,
    prepared,
  });
  return row;
}
