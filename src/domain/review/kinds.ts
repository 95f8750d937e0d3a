/** The kinds of review items that can be resolved. A further kind is one more line. */
import type { ReviewItemRow } from "../../db/queries/review_items.ts";
import type { ReviewKind } from "../../schema/review.ts";
import { NEAR_ENTITIES } from "../kinds/entities/review.ts";
import { CONTESTED_FACT, NEAR_DUPLICATE as NEAR_FACTS } from "../kinds/facts/review.ts";
import { SELF_EDIT } from "../self/review.ts";
import { STALE_DEPENDANT } from "./stale.ts";
import type { ReviewResolver } from "../unit/review_resolver.ts";

/** Near-duplicates say of what type they are, but for facts. */
const NEAR_DUPLICATE: ReviewResolver = {
  actions: NEAR_FACTS.actions,
  lock: (tx, item) => nearOf(item).lock(tx, item),
  prepare: (ctx, item, body) => nearOf(item).prepare(ctx, item, body),
};

function nearOf({ detail }: ReviewItemRow): ReviewResolver {
  return detail["type"] === "entity" ? NEAR_ENTITIES : NEAR_FACTS;
}

/** Items of a kind without a resolver can be dismissed only. */
export const RESOLVERS: Readonly<Partial<Record<ReviewKind, ReviewResolver>>> = {
  contested_fact: CONTESTED_FACT,
  near_duplicate: NEAR_DUPLICATE,
  self_edit: SELF_EDIT,
  stale_dependant: STALE_DEPENDANT,
};
