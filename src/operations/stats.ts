/** Usage statistics. */
import * as stats from "../domain/upkeep/stats.ts";
import { UsageStats } from "../schema/stats.ts";
import { operation } from "./operation.ts";

/** Counts what a workspace holds and how it is used. */
export const getUsageStats = operation({
  id: "getUsageStats",
  summary: "Read usage statistics",
  description: "Counts what the key's clearance sees. It counts everything, so do not poll it.",
  scope: "memory:admin",
  changes: false,
  reply: UsageStats,
}, (ctx) => stats.readStats(ctx));
