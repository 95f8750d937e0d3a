/** The kinds of review items that can be resolved. A further kind is one more line. */
import type { ReviewKind } from "../../schema/review.ts";
import { CONTESTED_FACT, NEAR_DUPLICATE } from "../facts/review.ts";
import { SELF_EDIT } from "../self/review.ts";
import { STALE_DEPENDANT } from "./stale.ts";
import type { ReviewResolver } from "./resolver.ts";

/** Items of a kind without a resolver can be dismissed only. */
export const RESOLVERS: Readonly<Partial<Record<ReviewKind, ReviewResolver>>> = {
  contested_fact: CONTESTED_FACT,
  near_duplicate: NEAR_DUPLICATE,
  self_edit: SELF_EDIT,
  stale_dependant: STALE_DEPENDANT,
};
