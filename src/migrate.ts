/** Migrates the configured databases, as their owner: one cluster or all; and builds the index beside them. */
import type { Config } from "./config.ts";
import { HOME } from "./db/database.ts";
import { migrate, nameCluster } from "./db/migrations.ts";
import { buildNearestIndex, nearestIndexFor } from "./db/nearest_index.ts";
import { ownerConnectionsOf } from "./db/connections.ts";
import { errorCode, isConnectionError } from "./db/pool.ts";
import { ServiceError } from "./errors.ts";

/** Called for each migration that was applied. */
export type OnApplied = (name: string, durationMs: number) => void;

/** SQLSTATEs and classes of them: it refuses the login, has no such database, has no room, forbids the statement. */
const REFUSALS = /^(?:28|3D000|53|42501)/;

/**
 * Runs all migrations as the owner, on every cluster.
 * @returns the names of those that it applied
 * @throws ServiceError `unavailable` if a database cannot be reached or refuses its owner
 */
export async function migrateDatabase(config: Config, onApplied?: OnApplied): Promise<string[]> {
  if (config.database.ownerUrl === undefined) {
    throw new ServiceError("validation_failed", "Cannot migrate: SVC_OWNER_DATABASE_URL is not set");
  }
  const done = [];
  for (const name of ownerConnectionsOf(config).keys()) {
    done.push(...await explained(name, () => migrateCluster(config, name, onApplied)));
  }
  return done;
}

/** Runs work on a cluster. If its database cannot be used, the error says so in a sentence that names the variable. */
async function explained<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const code = errorCode(error) ?? "", { message } = error as Error;
    const variable = name === HOME ? "SVC_OWNER_DATABASE_URL" : `${name} in SVC_OWNER_CLUSTERS`;
    const reason = isConnectionError(error)
      ? "no database answers at"
      : REFUSALS.test(code)
      ? "the database refuses what is in"
      : undefined;
    if (reason === undefined) throw error;
    throw new ServiceError("unavailable", `Cannot migrate: ${reason} ${variable} (${message || code})`, {
      cause: error,
    });
  }
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

/**
 * Builds the nearest-neighbour index on every cluster. Services may run meanwhile.
 * @throws ServiceError `unavailable` if a database cannot be reached or refuses its owner
 */
export async function buildVectorIndex(config: Config): Promise<void> {
  const index = nearestIndexFor(config.embeddings);
  if (index === undefined) return;
  const { signal } = new AbortController();
  for (const [name, connection] of ownerConnectionsOf(config)) {
    const build = () => buildNearestIndex(connection, index, config.embeddings.dimension, signal);
    while (!await explained(name, build));
  }
}
