/**
 * The cost of operations: the tokens that a call takes from the key's rate limit, and whether the call is heavy. A workspace
 * may run only a few heavy calls at once. By default an operation costs one token and is not heavy.
 */

export interface Cost {
  /** The tokens that a call takes before its body is read. */
  readonly tokens: number;
  /**
   * The name of a list in the body; once the body is read, the call takes one more token for each item after the first.
   */
  readonly perItem?: string;
  /**
   * `of` names a list in the body. The call takes one token for every `each` items, rounded up, and is heavy if it has more
   * than `each`. So a single item stays cheap if one operation takes both single items and batches.
   */
  readonly bySize?: { readonly of: string; readonly each: number };
  readonly isHeavy: boolean;
}

export const ONE: Cost = { tokens: 1, isHeavy: false };
/** Operations that traverse or draw many relations. */
export const GRAPH: Cost = { tokens: 5, isHeavy: true };
/** Operations on a whole workspace. */
export const WHOLE: Cost = { tokens: 20, isHeavy: true };
/** Operations on hundreds of rows at once. */
export const BATCH: Cost = { tokens: 5, isHeavy: true };
