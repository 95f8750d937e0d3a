/** Usage statistics. Interface §4.9, decisions §6 "admin". */
import * as stats from "../../../../domain/upkeep/stats.ts";
import { UsageStats } from "../../../../schema/stats.ts";
import { endpoint } from "../../../endpoint.ts";

/** Tells what a workspace holds and how it is used. */
export const getUsageStats = endpoint({
  method: "get",
  path: "/memory/admin/stats",
  operationId: "getUsageStats",
  summary: "Usage statistics",
  description: "Counted as far as the key's clearance sees. It counts everything, so it is no endpoint to poll.",
  scope: "memory:admin",
  response: UsageStats,
}, (ctx) => stats.readStats(ctx));
