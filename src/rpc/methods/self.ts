/** SelfEdit. */
import { SvcService } from "../../gen/svc/v1/svc_pb.ts";
import { editSelf } from "../../operations/self.ts";
import { unary } from "../unary.ts";

export const selfEdit = unary(SvcService.method.selfEdit, editSelf);
