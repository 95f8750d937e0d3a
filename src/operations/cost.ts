/**
 * What operations cost that do more than one request's work: tokens of the key's rate, and whether they are heavy, of which
 * a workspace has few under way at once. An operation that says nothing costs one token and is light.
 */

export interface Cost {
  /** Tokens that are taken before the body is read. */
  readonly tokens: number;
  /** Taken beside them when the body is known: a token for each of these beyond the first. */
  readonly perItem?: string;
  /**
   * It has many of these: a token for each `each` that are begun, and it is heavy beyond the first `each`. So one item
   * stays cheap where a batch has the same operation.
   */
  readonly bySize?: { readonly of: string; readonly each: number };
  readonly isHeavy: boolean;
}

export const ONE: Cost = { tokens: 1, isHeavy: false };
/** Walks and drawings over many relations. */
export const GRAPH: Cost = { tokens: 5, isHeavy: true };
/** A whole workspace. */
export const WHOLE: Cost = { tokens: 20, isHeavy: true };
/** Hundreds of rows at once. */
export const BATCH: Cost = { tokens: 5, isHeavy: true };
