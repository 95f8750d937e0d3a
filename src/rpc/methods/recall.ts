/** Recall. Interface §4.2, §4.12. */
import * as recalls from "../../domain/recall/recall.ts";
import { SvcService } from "../../gen/svc/v1/svc_pb.ts";
import { RecallBody, RecallReply } from "../../schema/recall.ts";
import { unary } from "../unary.ts";

/** Searches with all tiers. */
export const recall = unary({
  method: SvcService.method.recall,
  operation: "recall",
  scope: "memory:read",
  body: RecallBody,
  reply: RecallReply,
  mutates: false,
}, (ctx, { body }) => recalls.recall(ctx, body));
