/** The functions by which the items of a review kind are resolved. */
import type { OperationContext } from "../../context.ts";
import type { Tx } from "../../db/tx.ts";
import type { ReviewItemRow } from "../../db/queries/review_items.ts";
import type { ResolveReviewBody, ReviewAction, ReviewedUnit } from "../../schema/review.ts";

/** The effect of a decision. */
export interface ReviewEffect {
  readonly outcome: string;
  readonly units: readonly ReviewedUnit[];
}

export interface ReviewResolver {
  readonly actions: readonly ReviewAction[];
  /** The actions that one item allows, if these are not all. */
  actionsOf?(item: ReviewItemRow): readonly ReviewAction[];
  /** Takes the locks that writers of the units take, before the item is locked. All writers lock in this order. */
  lock(tx: Tx, item: ReviewItemRow): Promise<void>;
  /**
   * Prepares a decision outside the transaction; the returned function carries it out inside, on the locked item. It
   * may run more than once.
   * @throws ServiceError `validation_failed` when the decision lacks something; `insufficient_scope` when the caller
   * may not do by a review what the decision does
   */
  prepare(
    ctx: OperationContext,
    item: ReviewItemRow,
    body: ResolveReviewBody,
  ): Promise<(tx: Tx, item: ReviewItemRow) => Promise<ReviewEffect>>;
  /**
   * Applies the effects of a dismissal besides closing the item. The transaction has locked the item.
   * @throws ServiceError `insufficient_scope` when the caller may not cause these effects
   */
  dismiss?(ctx: OperationContext, tx: Tx, item: ReviewItemRow): Promise<void>;
}

/** The reason in the units' histories; the person who decided is the author of the revision. */
export function noteOf(item: { readonly id: string }, body: ResolveReviewBody): string {
  return `review ${item.id}, ${body.action}${body.reason === undefined ? "" : `: ${body.reason}`}`;
}
