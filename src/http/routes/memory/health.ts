/** The health snapshot under the v3 base. Interface §4.9. */
import * as health from "../../../domain/health.ts";
import { HealthSnapshot } from "../../../schema/health.ts";
import { endpoint } from "../../endpoint.ts";

/** Live vitals of the key's workspace. */
export const getMemoryHealth = endpoint({
  method: "get",
  path: "/memory/health",
  operationId: "getMemoryHealth",
  summary: "Health snapshot",
  scope: "memory:read",
  response: HealthSnapshot,
}, (ctx) => health.readSnapshot(ctx));
