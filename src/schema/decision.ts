/** Decisions: a policy or choice with its rationale and what took its place. */
import { z } from "zod";
import { Id, ListQuery, pageOf, textOf, Timestamp, TimestampInput } from "./common.ts";
import {
  CHANGES_SOMETHING,
  changesSomething,
  Ids,
  Name,
  Prose,
  unitInputShape,
  unitListQuery,
  unitPatchShape,
  unitShape,
} from "./unit.ts";

export const DECISION_STATUSES = ["proposed", "accepted", "contested", "superseded", "rejected", "archived"] as const;
export const DecisionStatus = z.enum(DECISION_STATUSES).meta({
  id: "DecisionStatus",
  description:
    "`contested`: a peer's version of what is known here otherwise, which waits for review. `superseded`: another decision replaced it. `rejected`: it was not accepted, or was withdrawn. `archived`: deleted softly, can be restored",
});
export type DecisionStatus = z.infer<typeof DecisionStatus>;

const Alternatives = z.array(textOf(4_096)).max(50);
const Evidence = Ids.meta({
  description:
    "Units that support the decision. When one of them is superseded, retracted or erased, the decision becomes `stale`",
});

export const Decision = z.strictObject({
  ...unitShape("decision", DecisionStatus),
  title: z.string(),
  decision: z.string().meta({ description: "What was decided" }),
  rationale: z.string().nullable(),
  alternatives: z.array(z.string()).meta({ description: "The alternatives that were considered" }),
  consequences: z.string().nullable(),
  decidedBy: z.string().nullable(),
  decidedAt: Timestamp.nullable().meta({ description: "Null while it is only proposed" }),
  reviewAt: Timestamp.nullable().meta({ description: "When the decision should be reviewed" }),
  supersedes: Id.nullable().meta({ description: "The decision that it replaced" }),
  supersededBy: Id.nullable(),
  evidenceIds: z.array(Id),
}).meta({ id: "Decision", description: "A decision, with its reasons and alternatives" });
export type Decision = z.infer<typeof Decision>;
export const DecisionPage = pageOf(Decision).meta({ id: "DecisionPage" });

const said = {
  title: Name,
  decision: Prose,
  rationale: Prose.optional(),
  alternatives: Alternatives.default([]),
  consequences: Prose.optional(),
  decidedBy: Name.optional(),
  decidedAt: TimestampInput.optional().meta({
    description: "When it was decided; not in the future. Default for an accepted decision: now",
  }),
  reviewAt: TimestampInput.optional(),
  evidenceIds: Evidence.default([]),
};

export const CreateDecisionBody = z.strictObject({
  ...unitInputShape,
  ...said,
  status: z.enum(["proposed", "accepted"]).default("accepted"),
}).meta({ id: "CreateDecisionBody" });
export type CreateDecisionBody = z.infer<typeof CreateDecisionBody>;

export const UpdateDecisionBody = z.strictObject({
  ...unitPatchShape,
  title: Name.optional(),
  decision: Prose.optional(),
  rationale: Prose.nullable().optional(),
  alternatives: Alternatives.optional(),
  consequences: Prose.nullable().optional(),
  decidedBy: Name.nullable().optional(),
  decidedAt: TimestampInput.optional(),
  reviewAt: TimestampInput.nullable().optional(),
  evidenceIds: Evidence.optional(),
  status: z.enum(["proposed", "accepted", "rejected"]).optional().meta({
    description:
      "From `proposed` to `accepted` or `rejected`, from `accepted` to `rejected`, from `rejected` back to `proposed`",
  }),
}).refine(changesSomething, CHANGES_SOMETHING).meta({ id: "UpdateDecisionBody" });
export type UpdateDecisionBody = z.infer<typeof UpdateDecisionBody>;

/** The decision that takes the place of another; it is accepted. */
export const SupersedeDecisionBody = z.strictObject({
  ...unitInputShape,
  ...said,
  reason: z.string().min(1).max(1_000).optional().meta({
    description: "Why; kept in the history of the replaced decision",
  }),
}).meta({ id: "SupersedeDecisionBody" });
export type SupersedeDecisionBody = z.infer<typeof SupersedeDecisionBody>;

export const ListDecisionsQuery = unitListQuery(DecisionStatus, "`proposed` and `accepted`").extend({
  decidedBy: Name.optional().meta({ description: "Equal to this text, exactly" }),
  reviewBefore: TimestampInput.optional().meta({ description: "Decisions whose review date is before this" }),
});
export type ListDecisionsQuery = z.infer<typeof ListDecisionsQuery>;

export const DecisionChainQuery = ListQuery.extend({ order: z.enum(["asc", "desc"]).default("asc") });
export type DecisionChainQuery = z.infer<typeof DecisionChainQuery>;
export const DecisionChain = pageOf(Decision).extend({
  decisionId: Id,
  currentId: Id.nullable().meta({
    description: "The last decision of the chain, if it is proposed or accepted; otherwise null: none is in force",
  }),
}).meta({ id: "DecisionChain", description: "All decisions that replaced each other, oldest first" });
export type DecisionChain = z.infer<typeof DecisionChain>;
