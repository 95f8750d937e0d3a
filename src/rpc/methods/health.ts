/** GetHealth. */
import { SvcService } from "../../gen/svc/v1/svc_pb.ts";
import { getMemoryHealth } from "../../operations/health.ts";
import { unary } from "../unary.ts";

export const getHealth = unary(SvcService.method.getHealth, getMemoryHealth);
