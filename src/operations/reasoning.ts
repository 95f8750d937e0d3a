/** Reasoning distillation. */
import * as reasoning from "../domain/reasoning/chains.ts";
import * as record from "../domain/reasoning/record.ts";
import * as resolve from "../domain/reasoning/resolve.ts";
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

/** Looks for a stored chain that a caller can reuse instead of reasoning again. */
export const resolveReasoning = operation({
  id: "resolveReasoning",
  summary: "Ask for a recorded chain before reasoning anew",
  description:
    "Looks for a chain with exactly this goal and context (case, spaces, final punctuation and the order of an object's members do not matter), otherwise for the most similar one with a similarity of at least `threshold`. Similarity is the share of common words in the same order (a replaced word counts twice), or its mean with the cosine of a model's embeddings if that is higher. Different numbers, a negation or another context object make it 0.\n\nOnly a `success` is served, and only if all its preconditions hold at the time of the request. A demoted chain is served only for its own goal and context, a retired one never. A hit counts as saved what the chain cost minus the tokens of its answer; the same `runId` counts once in 24 hours.",
  scope: "memory:read",
  // A read that also counts the use of the chain, which is a write.
  changes: true,
  body: ResolveReasoningBody,
  reply: ResolveReasoningReply,
  example: {
    body: { goal: "Convert the quarterly report to PDF", context: { format: "letter" }, runId: "run-7" },
  },
}, (ctx, { body }) => resolve.resolveReasoning(ctx, body));

/** Stores a chain. */
export const recordReasoning = operation({
  id: "recordReasoning",
  summary: "Record a chain of reasoning",
  description:
    "Goal, context and sensitivity identify an entry. If a chain is recorded again and ended at least as well (`success` before `partial` before `failure`), it replaces the stored one as its next version; one that ended worse is only counted in `attempts`. Recording the same again changes nothing. When steps or answer change, votes start again.\n\nA precondition whose hash is not the current one, or that is no longer in force, is refused with `conflict`; the member `preconditions` holds the current hashes. If a precondition changes later, the chain is not served until the precondition has the same content again.",
  scope: "reasoning:write",
  body: RecordReasoningBody,
  status: 201,
  otherStatus: { status: 200, description: "An entry for this goal and context existed" },
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
  const { entry, created } = await record.recordReasoning(ctx, body);
  return created ? entry : new Replied(entry, 200);
});

/** Votes about a chain. */
export const giveReasoningFeedback = operation({
  id: "giveReasoningFeedback",
  summary: "Report whether a served chain helped",
  description:
    "Each agent has one vote per entry; a second one replaces the first. All agents of one key count as one vote, by their majority. At a mean reliability of 0.5 or less the entry is `demoted`; below 0.3, with votes of at least four keys, it is `retired`. Helpful votes reverse both.",
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
  description:
    "Reads the entry in any state, with the current state of its preconditions. Reading does not count as a use.",
  scope: "memory:read",
  params: ReasoningParams,
  reply: ReasoningEntry,
  versioned: true,
}, (ctx, { params }) => reasoning.getReasoning(ctx, params.id));

/** Deletes an entry for good. */
export const deleteReasoning = operation({
  id: "deleteReasoning",
  summary: "Delete a recorded chain",
  description: "Deletes the entry and its votes for good. The reply is the entry as it was.",
  scope: "reasoning:write",
  params: ReasoningParams,
  reply: ReasoningEntry,
  versioned: true,
}, (ctx, { params, expectedVersion }) => reasoning.deleteReasoning(ctx, params.id, expectedVersion));
