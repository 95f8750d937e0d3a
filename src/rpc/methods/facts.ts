/** Remember and Forget. Interface §4.3, §4.12. */
import { z } from "zod";
import * as facts from "../../domain/kinds/facts/mod.ts";
import { SvcService } from "../../gen/svc/v1/svc_pb.ts";
import { CreateFactBody, ForgetFactReply, WrittenFact } from "../../schema/fact.ts";
import { ForgetBody } from "../../schema/unit.ts";
import { Target } from "../target.ts";
import { unary } from "../unary.ts";

/** Creates a fact, with conflict detection. */
export const remember = unary({
  method: SvcService.method.remember,
  operation: "createFact",
  scope: "memory:write",
  body: CreateFactBody,
  reply: z.strictObject({ fact: WrittenFact, created: z.boolean() }),
  mutates: true,
}, async (ctx, { body }) => {
  const { isNew, fact } = await facts.createFact(ctx, body);
  return { fact, created: isNew };
});

/** Archives a fact, or erases it for ever. */
export const forget = unary({
  method: SvcService.method.forget,
  operation: "forgetFact",
  scope: "memory:delete",
  target: Target,
  body: ForgetBody,
  reply: ForgetFactReply,
  mutates: true,
}, (ctx, { target, body }) => facts.forgetFact(ctx, target.id, body, { ifMatch: target.expectedVersion }));
