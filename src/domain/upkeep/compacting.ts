/** Joins scattered postings in the background, so that the index stays small. */
import type { OperationContext } from "../../context.ts";
import * as postings from "../../db/queries/postings.ts";
import type { StepEnd } from "../common/activity.ts";
import { perService } from "../common/per_service.ts";

/** Writes after which a workspace's postings are worth a pass. */
const WRITES_MIN = 64;
/** The rows of a stretch, besides the rest of its last term's. Erasures wait only while one stretch is joined. */
const ROWS_MAX = 4_000;
/** The approximate number of entries of a full row: 48 KiB. Rows with at least half as many are not joined further. */
const ENTRIES_MAX = 4_096;

/** The position of each workspace's pass over its terms. A pass that a restart interrupts begins anew. */
const passesOf = perService(() => new Map<string, string>());

/**
 * Does one stretch of a pass over the workspace's postings; the pass ends by folding the corpus sizes. Returns whether
 * the pass goes on. A running erasure has precedence: then it begins later.
 */
export async function compactPostings(ctx: OperationContext): Promise<StepEnd> {
  const running = passesOf(ctx.deps);
  const after = running.get(ctx.workspaceId);
  const { reached, isHeld = false } = await ctx.tx(async (tx): Promise<{ reached?: string; isHeld?: boolean }> => {
    if (after === undefined && await postings.countSizeDeltas(tx, WRITES_MIN) < WRITES_MIN) return {};
    const { end, scattered } = await postings.findStretch(tx, after ?? "", ROWS_MAX, ENTRIES_MAX);
    if (end === undefined) await postings.foldCorpusSizes(tx);
    else if (scattered.length > 0) {
      if (!await postings.tryLockPostings(tx)) return { isHeld: true };
      await postings.mergePostings(tx, scattered, ENTRIES_MAX);
    }
    return end === undefined ? {} : { reached: end };
  });
  if (reached === undefined) running.delete(ctx.workspaceId);
  else running.set(ctx.workspaceId, reached);
  return isHeld ? "later" : reached !== undefined;
}
