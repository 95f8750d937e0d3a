/** The kinds of review items that can be resolved. A further kind is one more line. */
import type { ReviewItemRow } from "../../db/queries/review_items.ts";
import { REVIEW_ACTIONS, type ReviewKind } from "../../schema/review.ts";
import { UNIT_TYPES } from "../../schema/unit.ts";
import { FEDERATION_CONFLICT } from "../federation/applying/resolve_review.ts";
import { CONTESTED_FACT, NEAR_DUPLICATE as NEAR_FACTS, OUTDATED_FACT } from "../kinds/facts/resolve_contested.ts";
import { REGISTRY } from "../kinds/registry.ts";
import { SELF_EDIT } from "../self/resolve_edit.ts";
import { STALE_DEPENDANT } from "./resolve_stale.ts";
import type { ReviewResolver } from "../unit/review_resolver.ts";

/**
 * Items about near-duplicates name their type, except those about facts. The resolver of facts therefore takes every item
 * without a known type, and has nothing to decide if the units are not facts.
 */
const NEAR_DUPLICATE: ReviewResolver = {
  actions: REVIEW_ACTIONS,
  lock: (tx, item) => nearOf(item).lock(tx, item),
  prepare: (ctx, item, body) => nearOf(item).prepare(ctx, item, body),
};

function nearOf({ detail }: ReviewItemRow): ReviewResolver {
  const type = UNIT_TYPES.find((type) => type === detail["type"]);
  return (type && REGISTRY[type].nearDuplicates) ?? NEAR_FACTS;
}

export const RESOLVERS: Readonly<Record<ReviewKind, ReviewResolver>> = {
  contested_fact: CONTESTED_FACT,
  federation_conflict: FEDERATION_CONFLICT,
  near_duplicate: NEAR_DUPLICATE,
  outdated_fact: OUTDATED_FACT,
  self_edit: SELF_EDIT,
  stale_dependant: STALE_DEPENDANT,
};
