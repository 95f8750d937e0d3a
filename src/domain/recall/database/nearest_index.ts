/**
 * Tracks whether an index finds the nearest vectors. One process builds it while the service runs. Until it is valid,
 * recall compares the query with every vector of a small workspace, and in larger ones only with those of the texts that
 * the query's words found.
 */
import type { Deps, OperationContext } from "../../../context.ts";
import { buildNearestIndex, isNearestIndexWhole, nearestIndexOf as indexOfModel } from "../../../db/nearest_index.ts";
import { ownerConnectionsOf } from "../../../db/connections.ts";
import { vectorIndexBegun, vectorIndexBuilt } from "../../../telemetry/database_events.ts";
import { perService } from "../../common/per_service.ts";

/**
 * `building`: this process or another one builds the index. `missing`: no process can build it; `svc migrate` does.
 * `not_needed`: the table of word pieces makes the vectors.
 */
type NearestIndexState = "not_needed" | "ready" | "building" | "missing";

class NearestIndex {
  /** Until the database was asked, nothing is known of an index. */
  state: NearestIndexState = "not_needed";
  /** Whether the log already says that the index is being built. */
  isTold = false;

  /** Whether semantic search is as fast and as complete as it will be. */
  get isReady(): boolean {
    return this.state === "ready" || this.state === "not_needed";
  }
}

export const nearestIndexOf = perService(() => new NearestIndex());

/**
 * Checks whether the index exists and is valid.
 * @throws ServiceError `unavailable` while the database cannot be reached
 */
export async function lookAtNearestIndex(deps: Deps): Promise<void> {
  const index = nearestIndexOf(deps), needed = indexOfModel(deps.embeddings.model);
  if (needed === undefined) index.state = "not_needed";
  if (needed === undefined || index.state === "ready") return;
  const found = await deps.db.each(async (sql) => [{ isComplete: await isNearestIndexWhole(sql, needed) }], {
    readOnly: true,
    partial: true,
  });
  const isComplete = found.every((one) => one.isComplete);
  index.state = isComplete ? "ready" : deps.config.database.ownerUrl === undefined ? "missing" : "building";
}

/** Builds the index on each cluster where it is missing, if the owner's connection is configured. */
export async function keepNearestIndex({ deps, signal }: OperationContext): Promise<void> {
  await lookAtNearestIndex(deps);
  const index = nearestIndexOf(deps);
  if (index.state !== "building") return;
  const { log } = deps.telemetry;
  const started = performance.now();
  const { model, dimension } = deps.embeddings;
  if (!index.isTold) vectorIndexBegun(log);
  index.isTold = true;
  for (const connection of ownerConnectionsOf(deps.config).values()) {
    if (!await buildNearestIndex(connection, indexOfModel(model)!, dimension, signal)) return;
  }
  await lookAtNearestIndex(deps);
  vectorIndexBuilt(log, { durationMs: Math.round(performance.now() - started) });
}
