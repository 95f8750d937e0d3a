/** Carries out a person's decision about two entities with near names. `unmerge` can undo it. */
import type { OperationContext } from "../../../context.ts";
import type { ReviewItemRow } from "../../../db/queries/review_items.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import { type ResolveReviewBody, REVIEW_ACTIONS } from "../../../schema/review.ts";
import { noteOf, type ReviewEffect, type ReviewResolver } from "../../unit/review_resolver.ts";
import { requireUnit } from "../../unit/store.ts";
import type { EntityBody } from "./body.ts";
import { applyMerge, lockEntities, lockMerges } from "./merge.ts";
import { resolveEntities } from "./resolve.ts";

/**
 * `merge` and `keep_local` merge the incoming entity into the existing one, `accept_incoming` the other way round; the
 * survivor keeps its name. `keep_both` leaves both, and nobody is asked about the pair again.
 */
export const NEAR_ENTITIES: ReviewResolver = {
  actions: REVIEW_ACTIONS,
  async lock(tx, item) {
    await lockMerges(tx);
    await lockEntities(tx, await endsOf(tx, item));
  },
  prepare(ctx, _item, body) {
    if (body.merged !== undefined) {
      throw new ServiceError("validation_failed", "Cannot resolve: only facts take the member merged", {
        errors: [{ path: "merged", message: "entities have names; choose the survivor by the action" }],
      });
    }
    return Promise.resolve((tx: Tx, item: ReviewItemRow) => carryOut(ctx, tx, item, body));
  },
};

/** Returns the ids of the item's two entities; for one that was merged, the entity that it is part of now. */
async function endsOf(tx: Tx, { subjectId, otherId }: ReviewItemRow): Promise<[subject: string, other: string]> {
  if (otherId === null) throw new ServiceError("conflict", "Cannot resolve the review item: it names one entity only");
  const ends = await resolveEntities(tx, [subjectId, otherId]);
  return [ends.get(subjectId)!, ends.get(otherId)!];
}

async function carryOut(
  ctx: OperationContext,
  tx: Tx,
  item: ReviewItemRow,
  body: ResolveReviewBody,
): Promise<ReviewEffect> {
  if (body.action === "keep_both") return { outcome: "both stand", units: [] };
  const [subjectId, otherId] = await endsOf(tx, item);
  if (subjectId === otherId) {
    throw new ServiceError("conflict", "Cannot resolve the review item: the two are merged already; dismiss it");
  }
  for (const id of [subjectId, otherId]) await requireVisible(tx, id);
  const [survivorId, sourceId] = body.action === "accept_incoming" ? [subjectId, otherId] : [otherId, subjectId];
  const { survivor, merged } = await applyMerge(ctx, tx, survivorId, [sourceId], {
    reason: noteOf(item, body),
    reviewItemId: item.id,
  });
  const units = [survivor, ...merged].map(({ id, version, status }) => ({ id, version, status }));
  return { outcome: `merged into ${survivor.id}`, units };
}

/** @throws ServiceError `conflict` when one of the two was erased or is hidden. */
async function requireVisible(tx: Tx, id: string): Promise<void> {
  try {
    await requireUnit<EntityBody>(tx, "entity", id);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new ServiceError("conflict", "Cannot resolve the review item: one of its entities no longer exists");
  }
}
