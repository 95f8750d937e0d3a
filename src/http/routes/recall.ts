/** Recall's v2 face. Interface §2.1. */
import * as recalls from "../../domain/recall/recall.ts";
import { RecallBody, RecallReply } from "../../schema/recall.ts";
import { endpoint } from "../endpoint.ts";

/** Searches the workspace's memory. */
export const recallV2 = endpoint({
  method: "post",
  path: "/recall",
  operationId: "recallV2",
  summary: "Search the memory",
  description: "The same as `POST /v1/memory/recall`.",
  scope: "memory:read",
  body: RecallBody,
  response: RecallReply,
  example: { body: { query: "Which dog did Caroline adopt?", limit: 5 } },
}, (ctx, { body }) => recalls.recall(ctx, body));
