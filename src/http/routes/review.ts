/** `/v1/review` */
import * as review from "../../operations/review.ts";
import { type Group, route } from "../route.ts";

export const GROUP: Group = {
  name: "Review",
  section: "Upkeep",
  description:
    "Decisions for a person: contested facts, near-duplicates, stale units, self-edits that an agent may not make alone.",
};

export const listReviewItems = route("get", "/review", review.listReviewItems);
export const getReviewItem = route("get", "/review/{id}", review.getReviewItem);
export const resolveReviewItem = route("post", "/review/{id}/resolve", review.resolveReviewItem);
export const dismissReviewItem = route("post", "/review/{id}/dismiss", review.dismissReviewItem);
