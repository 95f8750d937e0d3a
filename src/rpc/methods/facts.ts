/** Remember and Forget. */
import { z } from "zod";
import { SvcService } from "../../gen/svc/v1/svc_pb.ts";
import { createFact, forgetFact } from "../../operations/facts.ts";
import { WrittenFact } from "../../schema/fact.ts";
import { unary } from "../unary.ts";

export const remember = unary(SvcService.method.remember, createFact, {
  reply: z.strictObject({
    fact: WrittenFact.omit({ leftOut: true }),
    created: z.boolean(),
    leftOut: z.array(z.string()),
  }),
  toReply: ({ body: { leftOut = [], ...fact }, status }) => ({ fact, created: status === 201, leftOut }),
});

export const forget = unary(SvcService.method.forget, forgetFact);
