/** Reasoning distillation. */
import * as reasoning from "../domain/reasoning/chains.ts";
import {
  ListReasoningQuery,
  ReasoningEntry,
  ReasoningFeedbackBody,
  ReasoningFeedbackReply,
  ReasoningPage,
  ReasoningParams,
  RecordReasoningBody,
  ResolveReasoningBody,
  ResolveReasoningReply,
} from "../schema/reasoning.ts";
import { operation, Replied } from "./operation.ts";

/** Asks for a chain before reasoning anew. */
export const resolveReasoning = operation({
  id: "resolveReasoning",
  summary: "Ask for a recorded chain before reasoning anew",
  description:
    "First the chain of exactly this goal and context (case, spaces and final marks do not matter, nor the order of an " +
    "object's members), else the most similar one from `threshold` on. Similarity is the share of common words that " +
    "stand in the same order (a word in the place of another counts twice), or its mean with the cosine of a model's " +
    "embeddings where that is more; other numbers, a denial " +
    "or another context object make it 0. Served is only a `success` whose preconditions all hold: this is checked at " +
    "the time of asking. A demoted chain is served for its own goal and context alone, a retired one never. A hit counts " +
    "as saved what the chain cost less the tokens of its answer; the same `runId` counts once in 24 hours.",
  scope: "memory:read",
  // It counts the use.
  changes: true,
  body: ResolveReasoningBody,
  reply: ResolveReasoningReply,
  example: {
    body: { goal: "Convert the quarterly report to PDF", context: { format: "letter" }, runId: "run-7" },
  },
}, (ctx, { body }) => reasoning.resolveReasoning(ctx, body));

/** Stores a chain. */
export const recordReasoning = operation({
  id: "recordReasoning",
  summary: "Record a chain of reasoning",
  description:
    "Entries are told apart by goal, context and sensitivity. Recorded again, a chain that ended at least as well " +
    "(`success`, then `partial`, then `failure`) takes the place of the one held, as its next version; one that ended " +
    "worse is only counted in `attempts`. A recording that says the same as the last one changes nothing. When steps or " +
    "answer change, votes begin anew. A precondition whose hash is not the present one, or that is no longer in force, " +
    "is refused with `conflict`; the member `preconditions` holds the present hashes. When a precondition changes " +
    "later, the chain is retired; when it returns to the same content, the chain is served again.",
  scope: "reasoning:write",
  body: RecordReasoningBody,
  status: 201,
  otherStatus: { status: 200, description: "There was an entry for this goal and context" },
  reply: ReasoningEntry,
  versioned: true,
  errors: ["conflict"],
  example: {
    body: {
      goal: "Convert the quarterly report to PDF",
      context: { format: "letter" },
      steps: ["Open the report.", { action: "export", format: "pdf" }],
      answer: "Export it with the letter template, fonts embedded.",
      outcome: "success",
      tokensSpent: 4200,
      agentId: "assistant-1",
      tags: ["reports"],
    },
  },
}, async (ctx, { body }) => {
  const { entry, created } = await reasoning.recordReasoning(ctx, body);
  return created ? entry : new Replied(entry, 200);
});

/** Votes about a chain. */
export const giveReasoningFeedback = operation({
  id: "giveReasoningFeedback",
  summary: "Tell whether a served chain helped",
  description:
    "One vote for each agent and entry; a second replaces the first. However many agents a key names, it counts as one: " +
    "`helpful` where more of them say so than not. At a mean reliability of 0.5 or less the entry is `demoted`, below " +
    "0.3 with the votes of four keys or more `retired`; good votes bring it back.",
  scope: "reasoning:write",
  body: ReasoningFeedbackBody,
  reply: ReasoningFeedbackReply,
  errors: ["not_found"],
  example: {
    body: { entryId: "01890000-0000-7000-8000-000000000000", outcome: "helpful", agentId: "assistant-1" },
  },
}, (ctx, { body }) => reasoning.giveReasoningFeedback(ctx, body));

/** Lists entries, the newest first. */
export const listReasoning = operation({
  id: "listReasoning",
  summary: "List recorded chains",
  scope: "memory:read",
  query: ListReasoningQuery,
  reply: ReasoningPage,
}, (ctx, { query }) => reasoning.listReasoning(ctx, query));

/** Reads an entry in any state. */
export const getReasoning = operation({
  id: "getReasoning",
  summary: "Read a recorded chain",
  description: "In any state, with its preconditions as they stand now. Reading counts no use.",
  scope: "memory:read",
  params: ReasoningParams,
  reply: ReasoningEntry,
  versioned: true,
}, (ctx, { params }) => reasoning.getReasoning(ctx, params.id));

/** Deletes an entry for good. */
export const deleteReasoning = operation({
  id: "deleteReasoning",
  summary: "Delete a recorded chain",
  description: "For good, with its votes. The reply is the entry as it was.",
  scope: "reasoning:write",
  params: ReasoningParams,
  reply: ReasoningEntry,
  versioned: true,
}, (ctx, { params, expectedVersion }) => reasoning.deleteReasoning(ctx, params.id, expectedVersion));
