/** The operations on the review queue: items that a person has to decide. */
import * as review from "../domain/review/queue.ts";
import {
  DismissReviewBody,
  ListReviewQuery,
  ResolveReviewBody,
  ReviewItem,
  ReviewItemPage,
  ReviewParams,
} from "../schema/review.ts";
import { operation } from "./operation.ts";

/** Lists review items, the newest first. */
export const listReviewItems = operation({
  id: "listReviewItems",
  summary: "List review items",
  description: "Open items by default.",
  scope: "memory:read",
  query: ListReviewQuery,
  reply: ReviewItemPage,
}, (ctx, { query }) => review.listReviewItems(ctx, query));

/** Reads a review item in any state. */
export const getReviewItem = operation({
  id: "getReviewItem",
  summary: "Read a review item",
  scope: "memory:read",
  params: ReviewParams,
  reply: ReviewItem,
  versioned: true,
}, (ctx, { params }) => review.getReviewItem(ctx, params.id));

/** Resolves a review item. */
export const resolveReviewItem = operation({
  id: "resolveReviewItem",
  summary: "Resolve a review item",
  description:
    "**A contested fact:** `keep_local` supersedes it. `accept_incoming` makes it active and supersedes the active facts that it contradicts. `keep_both` makes it active beside them. `merge` gives the existing fact a new text (`merged`), trusted like the less trusted of both, and supersedes the contested one.\n\n**Near-duplicates:** `keep_local` archives the incoming fact, `accept_incoming` the existing one, `keep_both` changes nothing. `merge` joins citations, tags, entities and trust in the existing fact and archives the other.\n\n**A self-edit:** `accept_incoming` applies what the agent proposed (`GET /v1/self/edits/{subjectId}` shows it), `keep_local` declines it.\n\n**A contradiction between instances** (`federation_conflict`): the key needs `memory:admin`, too, as for `POST /v1/memory/federation/resolve`.\n\n**A peer asks to erase an item that began here** (`federation_conflict` with `erase_request`): `keep_local` keeps the item. `accept_incoming` erases it for ever; the key needs `memory:delete`, too.\n\nA fact that loses can be restored with `POST /v1/facts/{id}/restore`; the histories record who decided and why. If two decisions race, the first wins and the second is refused with `invalid_transition`. `conflict` means that the facts have changed so much that the decision no longer applies.",
  scope: "memory:write",
  params: ReviewParams,
  body: ResolveReviewBody,
  reply: ReviewItem,
  versioned: true,
  errors: ["invalid_transition", "conflict", "version_mismatch"],
  example: { body: { action: "accept_incoming", reason: "She moved last week." } },
}, (ctx, { params, body, expectedVersion }) => review.resolveReviewItem(ctx, params.id, body, expectedVersion));

/** Dismisses a review item. */
export const dismissReviewItem = operation({
  id: "dismissReviewItem",
  summary: "Dismiss a review item",
  description:
    "Closes the item without a decision: the units stay as they are. A contested fact stays contested until it is changed or nothing contradicts it any more. Dismissing a contradiction between instances ends it until the peer says something else; the key needs `memory:admin`, too.",
  scope: "memory:write",
  params: ReviewParams,
  body: DismissReviewBody,
  reply: ReviewItem,
  versioned: true,
  errors: ["invalid_transition", "version_mismatch"],
  example: { body: { reason: "Not worth a decision." } },
}, (ctx, { params, body, expectedVersion }) => review.dismissReviewItem(ctx, params.id, body, expectedVersion));
