/**
 * Whether the nearest vectors are found by an index. The built-in vectors have none. Those of a model have one, which is
 * built while the service runs, by one process; until it is whole, the vectors are compared of small workspaces and of
 * what the other tiers find.
 */
import type { Deps, OperationContext } from "../../context.ts";
import { buildNearestIndex, isNearestIndexWhole } from "../../db/nearest_index.ts";
import { ownerConnectionOf } from "../../db/url.ts";
import { vectorIndexBegun, vectorIndexBuilt } from "../../telemetry/events.ts";
import { perService } from "../common/per_service.ts";

/** `building`: this process or another one builds it. `missing`: nobody does, `svc migrate` does so. */
export type NearestIndexState = "not_needed" | "ready" | "building" | "missing";

class NearestIndex {
  state: NearestIndexState;
  /** The log says that it is being built. */
  isTold = false;

  constructor({ embeddings }: Deps) {
    this.state = embeddings.inProcess ? "not_needed" : "missing";
  }

  /** Searches for meaning are as fast and as complete as they will be. */
  get isReady(): boolean {
    return this.state === "ready" || this.state === "not_needed";
  }
}

export const nearestIndexOf = perService((deps) => new NearestIndex(deps));

/**
 * Looks whether the index is there.
 * @throws ServiceError `unavailable` while the database cannot be reached
 */
export async function lookAtNearestIndex(deps: Deps): Promise<void> {
  const index = nearestIndexOf(deps);
  if (index.isReady) return;
  const isWhole = await deps.db.system(isNearestIndexWhole, { readOnly: true });
  index.state = isWhole ? "ready" : deps.config.database.ownerUrl === undefined ? "missing" : "building";
}

/** Builds the index where it is missing and the configuration has the owner's connection. */
export async function keepNearestIndex({ deps, signal }: OperationContext): Promise<void> {
  await lookAtNearestIndex(deps);
  const index = nearestIndexOf(deps);
  const connection = ownerConnectionOf(deps.config.database);
  if (index.state !== "building" || connection === undefined) return;
  const { log } = deps.telemetry;
  const started = performance.now();
  if (!index.isTold) vectorIndexBegun(log);
  index.isTold = true;
  if (!await buildNearestIndex(connection, deps.embeddings.dimension, signal)) return;
  await lookAtNearestIndex(deps);
  vectorIndexBuilt(log, { durationMs: Math.round(performance.now() - started) });
}
