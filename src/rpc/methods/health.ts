/** GetHealth. Interface §2.2, §4.12. */
import { z } from "zod";
import * as health from "../../domain/upkeep/health.ts";
import { SvcService } from "../../gen/svc/v1/svc_pb.ts";
import { HealthSnapshot } from "../../schema/health.ts";
import { unary } from "../unary.ts";

/** Reads the workspace's vitals. */
export const getHealth = unary({
  method: SvcService.method.getHealth,
  operation: "getMemoryHealth",
  scope: "memory:read",
  body: z.strictObject({}),
  reply: HealthSnapshot,
  mutates: false,
}, (ctx) => health.readSnapshot(ctx));
