/** What a kind of review item brings so that its items can be resolved. */
import type { OperationContext } from "../../context.ts";
import type { Tx } from "../../db/tx.ts";
import type { ReviewItemRow } from "../../db/queries/review_items.ts";
import type { ResolveReviewBody, ReviewAction, ReviewedUnit } from "../../schema/review.ts";

/** What a decision changed. */
export interface ReviewEffect {
  readonly outcome: string;
  readonly units: readonly ReviewedUnit[];
}

export interface ReviewResolver {
  readonly actions: readonly ReviewAction[];
  /** The actions that one item leaves, if these are not all. */
  actionsOf?(item: ReviewItemRow): readonly ReviewAction[];
  /** Makes writers of the units concerned wait, before the item is locked, as they take the two in this order. */
  lock(tx: Tx, item: ReviewItemRow): Promise<void>;
  /**
   * Readies a decision outside the transaction; what it returns carries the decision out inside, on the locked item. It
   * may run more than once.
   * @throws ServiceError `validation_failed` when the decision lacks something; `insufficient_scope` when the caller may
   *   not do by a review what the decision does
   */
  prepare(
    ctx: OperationContext,
    item: ReviewItemRow,
    body: ResolveReviewBody,
  ): Promise<(tx: Tx, item: ReviewItemRow) => Promise<ReviewEffect>>;
  /**
   * Applies the effects of a dismissal beside closing the item. The transaction has locked the item.
   * @throws ServiceError `insufficient_scope` when the caller may not do what follows
   */
  dismiss?(ctx: OperationContext, tx: Tx, item: ReviewItemRow): Promise<void>;
}

/** The reason that the units' histories keep; who decided is the author of the revision. */
export function noteOf(item: { readonly id: string }, body: ResolveReviewBody): string {
  return `review ${item.id}, ${body.action}${body.reason === undefined ? "" : `: ${body.reason}`}`;
}
