/** Further related terms, which the caller looks up if a corpus holds few of the best ones. */

import { type QueryPlan, relatedShare } from "./query.ts";
import type { PostingsList } from "./types.ts";

/** A corpus that holds this many of a term's best related ones needs no further ones. */
const HELD_ENOUGH = 4;
/** At most so many further terms are looked up for a query. */
const FURTHER_MAX = 384;

/**
 * The related terms to look up after `plan.relatedKeys`: those of the query's terms of which the corpus holds less than
 * `HELD_ENOUGH` of the best. A large corpus holds enough of nearly all; a small one is read quickly.
 */
export function furtherRelated(plan: QueryPlan, lists: ReadonlyMap<string, readonly PostingsList[]>): string[] {
  const share = relatedShare(plan.terms);
  const poor = plan.terms.filter(({ related }) => {
    let held = 0;
    for (let i = 0; i < share && i < related.length; i++) if (lists.has(related[i].term)) held++;
    return held < HELD_ENOUGH;
  });
  const known = new Set([...plan.keys, ...plan.relatedKeys]);
  const out = new Set<string>();
  const each = Math.floor(FURTHER_MAX / Math.max(1, poor.length));
  for (const { related } of poor) {
    for (const { term } of related.slice(share, share + each)) if (!known.has(term)) out.add(term);
  }
  return [...out];
}
