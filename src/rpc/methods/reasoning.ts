/** ResolveReasoning and RecordReasoning. Interface §4.7, §4.12. */
import { z } from "zod";
import * as reasoning from "../../domain/reasoning/chains.ts";
import { SvcService } from "../../gen/svc/v1/svc_pb.ts";
import {
  ReasoningEntry,
  RecordReasoningBody,
  ResolveReasoningBody,
  ResolveReasoningReply,
} from "../../schema/reasoning.ts";
import { unary } from "../unary.ts";

/** Asks for a recorded chain before reasoning anew. */
export const resolveReasoning = unary({
  method: SvcService.method.resolveReasoning,
  operation: "resolveReasoning",
  scope: "memory:read",
  body: ResolveReasoningBody,
  reply: ResolveReasoningReply,
  // It counts the use.
  mutates: true,
}, (ctx, { body }) => reasoning.resolveReasoning(ctx, body));

/** Records a chain of reasoning. */
export const recordReasoning = unary({
  method: SvcService.method.recordReasoning,
  operation: "recordReasoning",
  scope: "reasoning:write",
  body: RecordReasoningBody,
  reply: z.strictObject({ entry: ReasoningEntry, created: z.boolean() }),
  mutates: true,
}, (ctx, { body }) => reasoning.recordReasoning(ctx, body));
