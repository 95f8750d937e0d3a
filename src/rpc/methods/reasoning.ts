/** ResolveReasoning and RecordReasoning. */
import { z } from "zod";
import { SvcService } from "../../gen/svc/v1/svc_pb.ts";
import * as reasoning from "../../operations/reasoning.ts";
import { ReasoningEntry } from "../../schema/reasoning.ts";
import { unary } from "../unary.ts";

export const resolveReasoning = unary(SvcService.method.resolveReasoning, reasoning.resolveReasoning);

export const recordReasoning = unary(SvcService.method.recordReasoning, reasoning.recordReasoning, {
  reply: z.strictObject({ entry: ReasoningEntry, created: z.boolean() }),
  toReply: ({ body, status }) => ({ entry: body, created: status === 201 }),
});
