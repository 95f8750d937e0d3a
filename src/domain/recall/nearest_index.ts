/**
 * Tracks whether an index finds the nearest vectors. The built-in vectors have none. The vectors of an embedding model
 * have one, which one process builds while the service runs. Until it is valid, recall compares the query with every
 * vector of a small workspace, and in larger ones only with those of the texts that the query's words found.
 */
import type { Deps, OperationContext } from "../../context.ts";
import { buildNearestIndex, isNearestIndexWhole } from "../../db/nearest_index.ts";
import { ownerWaysOf } from "../../db/ways.ts";
import { vectorIndexBegun, vectorIndexBuilt } from "../../telemetry/events.ts";
import { perService } from "../common/per_service.ts";

/** `building`: this process or another one builds the index. `missing`: no process can build it; `svc migrate` does. */
export type NearestIndexState = "not_needed" | "ready" | "building" | "missing";

class NearestIndex {
  state: NearestIndexState;
  /** Whether the log already says that the index is being built. */
  isTold = false;

  constructor({ embeddings }: Deps) {
    this.state = embeddings.inProcess ? "not_needed" : "missing";
  }

  /** Whether semantic search is as fast and as complete as it will be. */
  get isReady(): boolean {
    return this.state === "ready" || this.state === "not_needed";
  }
}

export const nearestIndexOf = perService((deps) => new NearestIndex(deps));

/**
 * Checks whether the index exists and is valid.
 * @throws ServiceError `unavailable` while the database cannot be reached
 */
export async function lookAtNearestIndex(deps: Deps): Promise<void> {
  const index = nearestIndexOf(deps);
  if (index.isReady) return;
  const found = await deps.db.each(async (sql) => [{ isWhole: await isNearestIndexWhole(sql) }], {
    readOnly: true,
    partial: true,
  });
  const isWhole = found.every((one) => one.isWhole);
  index.state = isWhole ? "ready" : deps.config.database.ownerUrl === undefined ? "missing" : "building";
}

/** Builds the index on each cluster where it is missing, if the owner's connection is configured. */
export async function keepNearestIndex({ deps, signal }: OperationContext): Promise<void> {
  await lookAtNearestIndex(deps);
  const index = nearestIndexOf(deps);
  if (index.state !== "building") return;
  const { log } = deps.telemetry;
  const started = performance.now();
  if (!index.isTold) vectorIndexBegun(log);
  index.isTold = true;
  for (const connection of ownerWaysOf(deps.config).values()) {
    if (!await buildNearestIndex(connection, deps.embeddings.dimension, signal)) return;
  }
  await lookAtNearestIndex(deps);
  vectorIndexBuilt(log, { durationMs: Math.round(performance.now() - started) });
}
