/** The health snapshot under the v3 base. Interface §4.9. */
import * as health from "../../../domain/upkeep/health.ts";
import * as snapshots from "../../../domain/upkeep/snapshots.ts";
import { HealthHistoryPage, HealthSnapshot, ListHealthHistoryQuery } from "../../../schema/health.ts";
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

/** The vitals over time. */
export const listHealthHistory = endpoint({
  method: "get",
  path: "/memory/health/history",
  operationId: "listHealthHistory",
  summary: "Health over time",
  description:
    "A worker takes a snapshot every `SVC_SNAPSHOT_INTERVAL_SECONDS` and keeps `SVC_SNAPSHOTS_KEPT`. Each is counted " +
    "as far as the key's clearance sees. The newest first unless asked otherwise.",
  scope: "memory:read",
  query: ListHealthHistoryQuery,
  response: HealthHistoryPage,
}, (ctx, { query }) => snapshots.listHealthHistory(ctx, query));
