/** Health: the vitals of a workspace, now and over time. */
import * as health from "../domain/upkeep/health.ts";
import * as snapshots from "../domain/upkeep/snapshots.ts";
import { HealthHistoryPage, HealthSnapshot, ListHealthHistoryQuery } from "../schema/health.ts";
import { operation } from "./operation.ts";

/** Live vitals of the key's workspace. */
export const getMemoryHealth = operation({
  id: "getMemoryHealth",
  summary: "Live vitals of the workspace",
  scope: "memory:read",
  reply: HealthSnapshot,
}, (ctx) => health.readSnapshot(ctx));

/** The vitals over time. */
export const listHealthHistory = operation({
  id: "listHealthHistory",
  summary: "List health snapshots over time",
  description:
    "A worker takes a snapshot every `SVC_SNAPSHOT_INTERVAL_SECONDS` and keeps `SVC_SNAPSHOTS_KEPT` of them. Each counts what the key's clearance sees. Newest first by default.",
  scope: "memory:read",
  query: ListHealthHistoryQuery,
  reply: HealthHistoryPage,
}, (ctx, { query }) => snapshots.listHealthHistory(ctx, query));
