/** The operations of recall: search in conversations and knowledge. */
import * as hotRecalls from "../domain/recall/recall_hot.ts";
import * as recalls from "../domain/recall/recall.ts";
import {
  BatchRecallBody,
  BatchRecallReply,
  ExplainRecallBody,
  ExplainRecallReply,
  HotRecallBody,
  RecallBody,
  RecallReply,
} from "../schema/recall.ts";
import { BATCH_BYTES_MAX, operation } from "./operation.ts";

const EXAMPLE = { query: "When did Caroline adopt her dog?", limit: 5, types: ["turn", "fact"] };

/** The full hybrid search. */
export const recall = operation({
  id: "recall",
  summary: "Ask the memory (recommended)",
  description:
    "Searches by words, meaning, names, relations and times at once: start with this one. Returns what is relevant and no more: an empty list means that the memory knows nothing about it. Pinned units are returned separately.",
  scope: "memory:read",
  body: RecallBody,
  reply: RecallReply,
  example: { body: EXAMPLE },
}, (ctx, { body }) => recalls.recall(ctx, body));

/** Searches the hot tier alone, if it holds the workspace; otherwise all tiers. */
export const recallHot = operation({
  id: "recallHot",
  summary: "Search the hot tier alone, for the shortest time",
  description:
    "For prompts that cannot wait. Answers from the memory of this process, usually within a few milliseconds: pinned, often used and recent knowledge and the latest turns, in their current state. What another process has just written may be missing for some milliseconds. Of a workspace that this memory does not hold, or not yet, the database answers by the full search: a workspace comes in with its second request.",
  scope: "memory:read",
  body: HotRecallBody,
  reply: RecallReply,
  example: { body: EXAMPLE },
}, (ctx, { body }) => hotRecalls.recallHot(ctx, body));

/** Searches knowledge and conversations, with the results in one list. */
export const recallUnified = operation({
  id: "recallUnified",
  summary: "Search knowledge and conversations in equal parts",
  description:
    "Like `recall`, for long conversations beside little knowledge: turns and knowledge units each get up to half of the results.",
  scope: "memory:read",
  body: RecallBody,
  reply: RecallReply,
  example: { body: { query: "What pets does Caroline have?" } },
}, (ctx, { body }) => recalls.recallUnified(ctx, body));

/** Searches, and explains the rank of each result. */
export const explainRecall = operation({
  id: "explainRecall",
  summary: "Search, and explain why each result is there and others are not",
  description: "Like `recall`, for people who look into a result: it costs more time.",
  scope: "memory:read",
  body: ExplainRecallBody,
  reply: ExplainRecallReply,
  example: { body: { ...EXAMPLE, explainIds: ["019a3c4e-5b6d-7e8f-9a0b-1c2d3e4f5a6b"] } },
}, (ctx, { body }) => recalls.explainRecall(ctx, body));

/** Runs several searches in one request. */
export const recallBatch = operation({
  id: "recallBatch",
  summary: "Search up to 50 times in one request",
  description: "Each query is answered as by `recall`.",
  scope: "memory:read",
  cost: { tokens: 1, perItem: "query", isHeavy: true },
  body: BatchRecallBody,
  bodyBytesMax: BATCH_BYTES_MAX,
  reply: BatchRecallReply,
  example: { body: { queries: [EXAMPLE, { query: "Where does Caroline live?" }] } },
}, (ctx, { body }) => recalls.recallBatch(ctx, body));
