/** Decisions: a choice with its rationale, and the choices that replaced it. */
import * as decisions from "../domain/kinds/decisions.ts";
import {
  Decision,
  DecisionChain,
  DecisionChainQuery,
  DecisionPage,
  ListDecisionsQuery,
  SupersedeDecisionBody,
} from "../schema/decision.ts";
import { UnitParams } from "../schema/unit.ts";
import * as unit from "./kind.ts";
import { operation } from "./operation.ts";

const EXAMPLE = {
  title: "Database",
  decision: "We use Postgres for everything that has to last.",
  rationale: "One system to run, and transactions across all of it.",
  alternatives: ["A document store", "Files"],
  consequences: "Full-text search is built on it, too.",
  decidedBy: "Caroline",
  reviewAt: "2027-01-01T00:00:00Z",
  tags: ["architecture"],
};

const DECISION: unit.RevisedKindWords = {
  kind: decisions.DECISIONS,
  one: "Decision",
  many: "Decisions",
  article: "a decision",
  plural: "decisions",
  page: DecisionPage,
  listQuery: ListDecisionsQuery,
  createDescription: "It is `accepted` unless it is stated to be `proposed`. It becomes `stale` when something that " +
    "it was derived from, or a piece of its evidence, is superseded, retracted, rejected or erased.",
  updateDescription: "A proposed decision is accepted or rejected by its `status`, a rejected one proposed again. A " +
    "superseded one stays as it is; to replace a decision, supersede it. Null clears a member.",
  restoreDescription:
    "An archived one returns to the state that it had before. A superseded one is in force again; the one that took " +
    "its place stands beside it until it is rejected or superseded.",
  createExample: EXAMPLE,
  updateExample: { reviewAt: "2027-06-01T00:00:00Z", reason: "looked at; it holds" },
};

export const createDecision = unit.creating(DECISION);
export const createDecisions = unit.creatingMany(DECISION);
export const listDecisions = unit.listing(DECISION);
export const getDecision = unit.getting(DECISION);
export const updateDecision = unit.updating(DECISION);
export const archiveDecision = unit.archiving(DECISION);
export const forgetDecision = unit.forgetting(DECISION);
export const restoreDecision = unit.restoring(DECISION);
export const listDecisionRevisions = unit.listingRevisions(DECISION);

/** Records a decision that replaces another. */
export const supersedeDecision = operation({
  id: "supersedeDecision",
  summary: "Supersede a decision",
  description:
    "Records an accepted decision that replaces this one from its `decidedAt` on. What rests on the replaced one becomes stale. The reply is the new decision.",
  scope: "memory:write",
  params: UnitParams,
  body: SupersedeDecisionBody,
  status: 201,
  reply: Decision,
  versioned: true,
  errors: ["erased", "invalid_transition", "version_mismatch"],
  example: {
    body: { ...EXAMPLE, decision: "We use Postgres, and files for what is large.", reason: "large exports" },
  },
}, (ctx, { params, body, expectedVersion }) => decisions.supersedeDecision(ctx, params.id, body, expectedVersion));

/** Reads a decision's chain of replacements. */
export const getDecisionChain = operation({
  id: "getDecisionChain",
  summary: "Read the chain of a decision",
  description:
    "All decisions that replaced each other, oldest first, up to 1,000 before and after this one. The chain ends at a decision above the key's clearance.",
  scope: "memory:read",
  params: UnitParams,
  query: DecisionChainQuery,
  reply: DecisionChain,
  errors: ["erased"],
}, (ctx, { params, query }) => decisions.getDecisionChain(ctx, params.id, query));
