/** Decisions in two faces, `/v1/decisions` and `/v1/memory/decisions`: one description of both. */
import { DECISIONS, getDecisionChain, supersedeDecision } from "../domain/kinds/decisions.ts";
import {
  CreateDecisionBody,
  Decision,
  DecisionChain,
  DecisionChainQuery,
  DecisionPage,
  ListDecisionsQuery,
  SupersedeDecisionBody,
  UpdateDecisionBody,
} from "../schema/decision.ts";
import { UnitParams } from "../schema/unit.ts";
import { endpoint } from "./endpoint.ts";
import type { UnitFace } from "./unit_endpoints.ts";

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

/** The face at `path`; `suffix` sets its operation ids apart. */
export function decisionFace(path: `/${string}`, suffix: string): UnitFace {
  return {
    kind: DECISIONS,
    path,
    one: `Decision${suffix}`,
    many: `Decisions${suffix}`,
    article: "a decision",
    plural: "decisions",
    unit: Decision,
    page: DecisionPage,
    createBody: CreateDecisionBody,
    updateBody: UpdateDecisionBody,
    listQuery: ListDecisionsQuery,
    createDescription:
      "It is `accepted` unless it is stated to be `proposed`. It becomes `stale` when something that " +
      "it was derived from, or a piece of its evidence, is superseded, retracted, rejected or erased.",
    updateDescription:
      "A proposed decision is accepted or rejected by its `status`, a rejected one proposed again. A " +
      "superseded one stays as it is; to replace a decision, supersede it. Null clears a member.",
    restoreDescription:
      "An archived one returns to the state that it had before. A superseded one is in force again; the one that took " +
      "its place stands beside it until it is rejected or superseded.",
    createExample: EXAMPLE,
    updateExample: { reviewAt: "2027-06-01T00:00:00Z", reason: "looked at; it holds" },
  };
}

/** `POST path/{id}/supersede` */
export function supersedeEndpoint({ path, one }: UnitFace) {
  return endpoint({
    method: "post",
    path: `${path}/{id}/supersede`,
    operationId: `supersede${one}`,
    summary: "Supersede a decision",
    description:
      "Records an accepted decision that takes the place of this one, which was in force until the new one " +
      "was decided. What rests on the old one becomes stale. The reply is the new decision.",
    scope: "memory:write",
    params: UnitParams,
    body: SupersedeDecisionBody,
    status: 201,
    response: Decision,
    versioned: true,
    errors: ["erased", "invalid_transition", "version_mismatch"],
    example: {
      body: { ...EXAMPLE, decision: "We use Postgres, and files for what is large.", reason: "large exports" },
    },
  }, (ctx, { params, body, ifMatch }) => supersedeDecision(ctx, params.id, body, ifMatch));
}

/** `GET path/{id}/chain` */
export function chainEndpoint({ path, one }: UnitFace) {
  return endpoint({
    method: "get",
    path: `${path}/{id}/chain`,
    operationId: `get${one.replace("Decision", "DecisionChain")}`,
    summary: "Read the chain of a decision",
    description:
      "All decisions that took each other's place, the oldest first, up to 1,000 before and after this one. " +
      "The chain ends at a decision above the key's clearance.",
    scope: "memory:read",
    params: UnitParams,
    query: DecisionChainQuery,
    response: DecisionChain,
    errors: ["erased"],
  }, (ctx, { params, query }) => getDecisionChain(ctx, params.id, query));
}
