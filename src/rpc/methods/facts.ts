/** Remember and Forget. */
import { z } from "zod";
import { SvcService } from "../../gen/svc/v1/svc_pb.ts";
import { createFact, forgetFact } from "../../operations/facts.ts";
import { WrittenFact } from "../../schema/fact.ts";
import { unary } from "../unary.ts";

export const remember = unary(SvcService.method.remember, createFact, {
  reply: z.strictObject({ fact: WrittenFact, created: z.boolean() }),
  toReply: ({ body, status }) => ({ fact: body, created: status === 201 }),
});

export const forget = unary(SvcService.method.forget, forgetFact);
