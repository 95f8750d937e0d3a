/** SelfEdit. Interface §4.8, §4.12. */
import * as self from "../../domain/self/mod.ts";
import { SvcService } from "../../gen/svc/v1/svc_pb.ts";
import { SelfEdit, SelfEditBody } from "../../schema/self_edit.ts";
import { unary } from "../unary.ts";

/** Edits the agent's own memory. */
export const selfEdit = unary({
  method: SvcService.method.selfEdit,
  operation: "editSelf",
  scope: "self:write",
  body: SelfEditBody,
  reply: SelfEdit,
  mutates: true,
}, (ctx, { body }) => self.editSelf(ctx, body));
