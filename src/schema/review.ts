/** The review queue: what needs a person. */
import { z } from "zod";
import { Id, JsonValue, ListQuery, pageOf, repeated, Sensitivity, textOf, Timestamp } from "./common.ts";

export const REVIEW_KINDS = [
  "contested_fact",
  "outdated_fact",
  "near_duplicate",
  "stale_dependant",
  "self_edit",
  "federation_conflict",
] as const;
export const ReviewKind = z.enum(REVIEW_KINDS).meta({ id: "ReviewKind" });
export type ReviewKind = z.infer<typeof ReviewKind>;

export const REVIEW_STATUSES = ["open", "resolved", "dismissed"] as const;
export const ReviewStatus = z.enum(REVIEW_STATUSES).meta({ id: "ReviewStatus" });
export type ReviewStatus = z.infer<typeof ReviewStatus>;

export const REVIEW_ACTIONS = ["keep_local", "accept_incoming", "keep_both", "merge"] as const;
export const ReviewAction = z.enum(REVIEW_ACTIONS).meta({
  id: "ReviewAction",
  description:
    "`keep_local`: the existing unit stays. `accept_incoming`: the item's subject replaces it. `keep_both`: both stay. `merge`: both become one. For a stale unit, `keep_local` affirms it and `accept_incoming` archives it",
});
export type ReviewAction = z.infer<typeof ReviewAction>;

/** What a decision made of a unit. */
export const ReviewedUnit = z.strictObject({ id: Id, version: z.int().min(1), status: z.string() })
  .meta({ id: "ReviewedUnit" });
export type ReviewedUnit = z.infer<typeof ReviewedUnit>;

export const ReviewResolution = z.strictObject({
  action: ReviewAction.nullable().meta({ description: "Null: dismissed, or settled by another change" }),
  outcome: z.string().meta({ description: "The outcome, in words" }),
  reason: z.string().nullable(),
  units: z.array(ReviewedUnit).meta({ description: "The units that the decision changed, with their new versions" }),
}).meta({ id: "ReviewResolution" });
export type ReviewResolution = z.infer<typeof ReviewResolution>;

export const ReviewItem = z.strictObject({
  id: Id,
  version: z.int().min(1),
  kind: ReviewKind,
  status: ReviewStatus,
  actions: z.array(ReviewAction).meta({ description: "The actions that are possible now" }),
  sensitivity: Sensitivity.meta({ description: "The sensitivity of the most sensitive unit concerned" }),
  subjectId: Id.meta({ description: "The incoming unit, or the stale one" }),
  otherId: Id.nullable().meta({
    description: "The existing unit with which it conflicts, or the source that is no longer in force",
  }),
  detail: z.record(z.string(), JsonValue).meta({ description: "Ids and numbers, never content" }),
  resolution: ReviewResolution.nullable(),
  createdAt: Timestamp,
  resolvedAt: Timestamp.nullable(),
  resolvedBy: z.string().nullable(),
}).meta({ id: "ReviewItem", description: "Something that waits for a person, or was settled" });
export type ReviewItem = z.infer<typeof ReviewItem>;
export const ReviewItemPage = pageOf(ReviewItem).meta({ id: "ReviewItemPage" });

export const ReviewParams = z.strictObject({ id: Id });

export const ListReviewQuery = ListQuery.extend({
  kind: repeated(ReviewKind, REVIEW_KINDS.length).optional().meta({ description: "May be repeated" }),
  status: repeated(ReviewStatus, REVIEW_STATUSES.length).optional().meta({
    description: "May be repeated. Default: `open`",
  }),
  unitId: Id.optional().meta({ description: "Items about this unit, as subject or as other" }),
});
export type ListReviewQuery = z.infer<typeof ListReviewQuery>;

const Reason = z.string().min(1).max(1_000).meta({ description: "Why; kept in the item and in the units' history" });
const Term = textOf(1_024).nullable().optional();

/** What a merged fact says. */
export const MergedFact = z.strictObject({
  statement: textOf(16_384),
  subject: Term,
  predicate: Term,
  object: Term,
}).meta({
  id: "MergedFact",
  description:
    "With `merge`: what the merged fact says. Required for contested facts, because they contradict each other. Members of the triple that are left out keep the value of the existing fact",
});
export type MergedFact = z.infer<typeof MergedFact>;

export const ResolveReviewBody = z.strictObject({
  action: ReviewAction,
  reason: Reason.optional(),
  merged: MergedFact.optional(),
}).refine((body) => body.merged === undefined || body.action === "merge", {
  message: "needs the action merge",
  path: ["merged"],
}).meta({ id: "ResolveReviewBody" });
export type ResolveReviewBody = z.infer<typeof ResolveReviewBody>;

export const DismissReviewBody = z.strictObject({ reason: Reason.optional() }).meta({ id: "DismissReviewBody" });
export type DismissReviewBody = z.infer<typeof DismissReviewBody>;
