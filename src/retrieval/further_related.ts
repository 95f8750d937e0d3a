/**
 * Further related terms: what is asked for when a corpus holds few of the best ones.
 */

import { chooseRelated, type QueryPlan, TERM_RELATED_MAX } from "./query.ts";
import type { PostingsList } from "./types.ts";

/** With so many of a term's best related ones the corpus says enough of it. */
const HELD_ENOUGH = 4;
/** Most further terms of a query that are looked up. */
const FURTHER_MAX = 384;

/**
 * The related terms to look up after `plan.relatedKeys`: those of the query's terms of which the corpus holds less than
 * `HELD_ENOUGH` of the best. A large corpus holds enough of nearly all; a small one is read quickly.
 */
export function furtherRelated(plan: QueryPlan, lists: ReadonlyMap<string, readonly PostingsList[]>): string[] {
  const offers = plan.terms.flatMap(({ related }) => {
    if (related.length <= TERM_RELATED_MAX) return [];
    const best = related.slice(0, TERM_RELATED_MAX);
    return best.filter(({ term }) => lists.has(term)).length < HELD_ENOUGH ? related.slice(TERM_RELATED_MAX) : [];
  });
  return chooseRelated(offers, new Set([...plan.keys, ...plan.relatedKeys]), FURTHER_MAX);
}
