/** The queue of what needs a person. Interface §2.1 "Review", decisions §6 "review". */
import * as review from "../../domain/review/queue.ts";
import {
  DismissReviewBody,
  ListReviewQuery,
  ResolveReviewBody,
  ReviewItem,
  ReviewItemPage,
  ReviewParams,
} from "../../schema/review.ts";
import { endpoint } from "../endpoint.ts";

/** Lists review items, the newest first. */
export const listReviewItems = endpoint({
  method: "get",
  path: "/review",
  operationId: "listReviewItems",
  summary: "List review items",
  description: "Open ones unless asked otherwise.",
  scope: "memory:read",
  query: ListReviewQuery,
  response: ReviewItemPage,
}, (ctx, { query }) => review.listReviewItems(ctx, query));

/** Reads a review item in any state. */
export const getReviewItem = endpoint({
  method: "get",
  path: "/review/{id}",
  operationId: "getReviewItem",
  summary: "Read a review item",
  scope: "memory:read",
  params: ReviewParams,
  response: ReviewItem,
  versioned: true,
}, (ctx, { params }) => review.getReviewItem(ctx, params.id));

/** Resolves a review item. */
export const resolveReviewItem = endpoint({
  method: "post",
  path: "/review/{id}/resolve",
  operationId: "resolveReviewItem",
  summary: "Resolve a review item",
  description:
    "A contested fact: `keep_local` supersedes it, `accept_incoming` makes it active and supersedes the active facts " +
    "that it contradicts, `keep_both` makes it active beside them, `merge` gives the local fact a new text (`merged`), " +
    "which is trusted as the least of both, and supersedes the contested one. Near-duplicates: `keep_local` archives " +
    "the incoming fact, `accept_incoming` the local one, `keep_both` changes nothing, `merge` joins citations, tags, " +
    "entities and trust in the local fact and archives the other. A self-edit: `accept_incoming` applies what an agent " +
    "proposed (`GET /v1/self/edits/{subjectId}` shows it), `keep_local` declines it. What loses can be restored with `POST " +
    "/v1/facts/{id}/restore`; the facts' histories keep who decided and why. Of two decisions one counts, the other " +
    "is refused with `invalid_transition`; `conflict` says that the facts have changed so that the decision no longer " +
    "means anything.",
  scope: "memory:write",
  params: ReviewParams,
  body: ResolveReviewBody,
  response: ReviewItem,
  versioned: true,
  errors: ["invalid_transition", "conflict", "version_mismatch"],
  example: { body: { action: "accept_incoming", reason: "She moved last week." } },
}, (ctx, { params, body, ifMatch }) => review.resolveReviewItem(ctx, params.id, body, ifMatch));

/** Dismisses a review item. */
export const dismissReviewItem = endpoint({
  method: "post",
  path: "/review/{id}/dismiss",
  operationId: "dismissReviewItem",
  summary: "Dismiss a review item",
  description:
    "Closes it without a decision: the units stay as they are. A contested fact stays contested until it is changed or " +
    "nothing contradicts it any more.",
  scope: "memory:write",
  params: ReviewParams,
  body: DismissReviewBody,
  response: ReviewItem,
  versioned: true,
  errors: ["invalid_transition", "version_mismatch"],
  example: { body: { reason: "Not worth a decision." } },
}, (ctx, { params, body, ifMatch }) => review.dismissReviewItem(ctx, params.id, body, ifMatch));
