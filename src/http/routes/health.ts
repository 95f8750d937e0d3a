/** A workspace's vitals. Interface §4.11. */
import * as health from "../../domain/upkeep/health.ts";
import { HealthSnapshot } from "../../schema/health.ts";
import { endpoint } from "../endpoint.ts";

/** Live vitals of the key's workspace. */
export const getWorkspaceHealth = endpoint({
  method: "get",
  path: "/health",
  operationId: "getWorkspaceHealth",
  summary: "Live vitals of the workspace",
  scope: "memory:read",
  response: HealthSnapshot,
}, (ctx) => health.readSnapshot(ctx));
