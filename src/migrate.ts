/** Migrates the configured databases, as their owner: one cluster or all; and builds the index beside them. */
import type { Config } from "./config.ts";
import { HOME } from "./db/database.ts";
import { migrate, nameCluster } from "./db/migrations.ts";
import { buildNearestIndex, nearestIndexFor } from "./db/nearest_index.ts";
import { ownerConnectionsOf } from "./db/connections.ts";
import { ServiceError } from "./errors.ts";

/** Called for each migration that was applied. */
export type OnApplied = (name: string, durationMs: number) => void;

/** Runs all migrations as the owner, on every cluster. @returns the names of those that it applied */
export async function migrateDatabase(config: Config, onApplied?: OnApplied): Promise<string[]> {
  if (config.database.ownerUrl === undefined) {
    throw new ServiceError("validation_failed", "Cannot migrate: SVC_OWNER_DATABASE_URL is not set");
  }
  const done = [];
  for (const name of ownerConnectionsOf(config).keys()) done.push(...await migrateCluster(config, name, onApplied));
  return done;
}

/**
 * Runs the migrations on one cluster, if its owner's connection is configured. When there are several clusters, it also
 * stores the cluster's name.
 */
export async function migrateCluster(config: Config, name: string, onApplied?: OnApplied): Promise<string[]> {
  const connection = ownerConnectionsOf(config).get(name);
  if (connection === undefined) return [];
  const called = (migration: string) => name === HOME ? migration : `${name}: ${migration}`;
  const applied = await migrate(connection, {
    embeddingDimension: config.embeddings.dimension,
    onApplied: (migration, durationMs) => onApplied?.(called(migration), durationMs),
  });
  if (config.database.clusters.length > 0) await nameCluster(connection, name);
  return applied.map(called);
}

/** Builds the nearest-neighbour index on every cluster. Services may run meanwhile. */
export async function buildVectorIndex(config: Config): Promise<void> {
  const index = nearestIndexFor(config.embeddings);
  if (index === undefined) return;
  const { signal } = new AbortController();
  for (const connection of ownerConnectionsOf(config).values()) {
    while (!await buildNearestIndex(connection, index, config.embeddings.dimension, signal));
  }
}
