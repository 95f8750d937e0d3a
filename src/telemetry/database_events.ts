/** What the log says of databases, their replicas and the cache beside them: one function per event. */
import type { Log } from "./log.ts";

export function migrationApplied(log: Log, fields: { migration: string; durationMs: number }): void {
  log.info("database.migration_applied", fields);
}

/** Rows of an earlier build are converted to this build's rules before requests are answered. */
export function upgradeBegun(log: Log, fields: { workspaces: number }): void {
  log.info("database.upgrade_begun", fields);
}

/** The nearest-neighbour index over an embedding model's vectors is missing or broken, and a build starts. */
export function vectorIndexBegun(log: Log): void {
  log.info("database.vector_index_begun", {});
}

export function vectorIndexBuilt(log: Log, fields: { durationMs: number }): void {
  log.info("database.vector_index_built", fields);
}

/** A connection died, so the whole pool was retired, so that none of its handles can reach another workspace's rows. */
export function databasePoolReplaced(log: Log, fields: { generation: number; error: unknown }): void {
  log.warn("database.pool_replaced", fields);
}

/**
 * Whether notifications arrive that this process sent to itself on the connections of requests. They do not if the
 * listening connection leads through a pooler, to another database, or nowhere.
 */
export function notificationsHeard(log: Log, { isHearing, error }: { isHearing: boolean; error: unknown }): void {
  if (isHearing) log.info("notifications.heard", {});
  else log.error("notifications.deaf", { error });
}

/** A pooler lends sessions for one transaction at a time. */
export function databasePooled(log: Log, fields: { statements: "prepared" | "unnamed" }): void {
  log.info("database.pooled", fields);
}

/** The driver threw outside of any call because of a dead connection, whose pool has been replaced already. */
export function databaseDriverFault(log: Log, fields: { error: unknown }): void {
  log.warn("database.driver_fault", fields);
}

export function databaseDown(log: Log, fields: { error: unknown }): void {
  log.error("database.down", fields);
}

export function databaseRecovered(log: Log, fields: { downMs: number }): void {
  log.info("database.recovered", fields);
}

/**
 * A cluster other than the home cluster cannot be used: requests for its workspaces are refused, all others are served.
 */
export function clusterAway(log: Log, fields: { cluster: string; error: unknown }): void {
  log.error("cluster.away", fields);
}

export function clusterBack(log: Log, fields: { cluster: string; awayMs: number }): void {
  log.info("cluster.back", fields);
}

/** Reads for a replica run on the primary: the replica is away, behind, promoted or belongs to another primary. */
export function replicaUnused(log: Log, fields: { state: string; error: unknown }): void {
  log.warn("replica.unused", fields);
}

export function replicaUsed(log: Log, fields: { unusedMs: number }): void {
  log.info("replica.used", fields);
}

/** Redis does not answer: nothing waits for it, and each process counts for itself until it takes a write again. */
export function cacheDown(log: Log, fields: { error: unknown }): void {
  log.warn("cache.down", fields);
}

export function cacheRecovered(log: Log, fields: { downMs: number }): void {
  log.info("cache.recovered", fields);
}
