/** Recall. */
import { SvcService } from "../../gen/svc/v1/svc_pb.ts";
import * as recalls from "../../operations/recall.ts";
import { unary } from "../unary.ts";

export const recall = unary(SvcService.method.recall, recalls.recall);
