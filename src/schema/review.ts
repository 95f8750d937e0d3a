/** The review queue: what needs a person. */
import { z } from "zod";
import { Id, JsonValue, ListQuery, pageOf, repeated, Sensitivity, textOf, Timestamp } from "./common.ts";

export const REVIEW_KINDS = [
  "contested_fact",
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
    "`keep_local`: what was here stands. `accept_incoming`: the item's subject takes its place. `keep_both`: both " +
    "stand. `merge`: one is made of both. Of something stale: `keep_local` affirms that it stands although a source " +
    "fell, `accept_incoming` archives it",
});
export type ReviewAction = z.infer<typeof ReviewAction>;

/** What a decision made of a unit. */
export const ReviewedUnit = z.strictObject({ id: Id, version: z.int().min(1), status: z.string() })
  .meta({ id: "ReviewedUnit" });
export type ReviewedUnit = z.infer<typeof ReviewedUnit>;

export const ReviewResolution = z.strictObject({
  action: ReviewAction.nullable().meta({ description: "Null: dismissed, or settled by something else that happened" }),
  outcome: z.string().meta({ description: "What became of it, in words" }),
  reason: z.string().nullable(),
  units: z.array(ReviewedUnit).meta({ description: "What the decision changed, with the versions that it made" }),
}).meta({ id: "ReviewResolution" });
export type ReviewResolution = z.infer<typeof ReviewResolution>;

export const ReviewItem = z.strictObject({
  id: Id,
  version: z.int().min(1),
  kind: ReviewKind,
  status: ReviewStatus,
  actions: z.array(ReviewAction).meta({ description: "How it may be resolved now" }),
  sensitivity: Sensitivity.meta({ description: "That of the most sensitive unit concerned" }),
  subjectId: Id.meta({ description: "The incoming unit, or the one that is stale" }),
  otherId: Id.nullable().meta({ description: "The local unit that it is held against, or the source that fell" }),
  detail: z.record(z.string(), JsonValue).meta({ description: "References and numbers, never content" }),
  resolution: ReviewResolution.nullable(),
  createdAt: Timestamp,
  resolvedAt: Timestamp.nullable(),
  resolvedBy: z.string().nullable(),
}).meta({ id: "ReviewItem" });
export type ReviewItem = z.infer<typeof ReviewItem>;
export const ReviewItemPage = pageOf(ReviewItem).meta({ id: "ReviewItemPage" });

export const ReviewParams = z.strictObject({ id: Id });

export const ListReviewQuery = ListQuery.extend({
  kind: repeated(ReviewKind, REVIEW_KINDS.length).optional().meta({ description: "May be repeated" }),
  status: repeated(ReviewStatus, REVIEW_STATUSES.length).optional().meta({
    description: "May be repeated. Default: `open`",
  }),
  unitId: Id.optional().meta({ description: "Items about this unit, on either side" }),
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
}).meta({ id: "MergedFact", description: "A member of the triple that is left out stays as the local fact has it" });
export type MergedFact = z.infer<typeof MergedFact>;

export const ResolveReviewBody = z.strictObject({
  action: ReviewAction,
  reason: Reason.optional(),
  merged: MergedFact.optional().meta({
    description: "With `merge`: what the one fact says. Needed for contested facts, which contradict each other",
  }),
}).refine((body) => body.merged === undefined || body.action === "merge", {
  message: "needs the action merge",
  path: ["merged"],
}).meta({ id: "ResolveReviewBody" });
export type ResolveReviewBody = z.infer<typeof ResolveReviewBody>;

export const DismissReviewBody = z.strictObject({ reason: Reason.optional() }).meta({ id: "DismissReviewBody" });
export type DismissReviewBody = z.infer<typeof DismissReviewBody>;
