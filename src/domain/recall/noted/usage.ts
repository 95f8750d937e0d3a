/**
 * Counts recalls and the units that they returned, in memory, and writes the counts in batches: a read never waits for
 * it, and a crash loses a few seconds of counts.
 */
import type { Deps, OperationContext } from "../../../context.ts";
import { addUsage, addUses } from "../../../db/queries/usage.ts";
import { hastenWorth } from "../../../db/queries/worth.ts";
import type { RecallResult } from "../../../schema/recall.ts";
import { activityOf } from "../../common/activity.ts";
import { perService } from "../../common/per_service.ts";

interface Counts {
  recalls: number;
  hits: number;
  /** Units by how often they were returned. */
  readonly units: Map<string, number>;
}

/** Counts that are not written to the database yet, by workspace. */
const countsOf = perService(() => new Map<string, Counts>());
/** The most units of one workspace whose uses wait to be written; uses of further ones are not counted. */
const UNITS_MAX = 10_000;

/** Counts a recall and the units that it returned. */
export function noteRecall(ctx: OperationContext, results: readonly RecallResult[]): void {
  const workspaces = countsOf(ctx.deps);
  const counts = workspaces.get(ctx.workspaceId) ?? { recalls: 0, hits: 0, units: new Map() };
  workspaces.set(ctx.workspaceId, counts);
  counts.recalls++;
  if (results.length > 0) counts.hits++;
  for (const { id, type } of results) {
    if (type !== "turn" && (counts.units.has(id) || counts.units.size < UNITS_MAX)) {
      counts.units.set(id, (counts.units.get(id) ?? 0) + 1);
    }
  }
}

/** The workspaces with counts that are not written yet. */
export function listUsed(deps: Deps): string[] {
  return [...countsOf(deps).keys()];
}

/** Writes the counts of the context's workspace since the last write. */
export async function flushUsage(ctx: OperationContext): Promise<void> {
  const workspaces = countsOf(ctx.deps);
  const counts = workspaces.get(ctx.workspaceId);
  if (counts === undefined) return;
  workspaces.delete(ctx.workspaceId);
  try {
    await ctx.tx((tx) =>
      Promise.all([
        addUsage(tx, { recall: counts.recalls, recall_hit: counts.hits }),
        ...(counts.units.size > 0 ? [addUses(tx, counts.units), hastenWorth(tx, [...counts.units.keys()])] : []),
      ])
    );
    activityOf(ctx.deps).noteUse(ctx.workspaceId);
  } catch (error) {
    keepCounts(ctx, counts);
    throw error;
  }
}

/** Adds counts that could not be written to the counts since. */
function keepCounts(ctx: OperationContext, counts: Counts): void {
  const workspaces = countsOf(ctx.deps);
  const since = workspaces.get(ctx.workspaceId);
  workspaces.set(ctx.workspaceId, counts);
  if (since === undefined) return;
  counts.recalls += since.recalls;
  counts.hits += since.hits;
  for (const [id, uses] of since.units) {
    if (counts.units.has(id) || counts.units.size < UNITS_MAX) counts.units.set(id, (counts.units.get(id) ?? 0) + uses);
  }
}
