/**
 * Removes rows that are kept only for a time. These are never knowledge: facts and the other units, turns, events, the
 * change feed and the audit log stay until somebody erases them, or until the workspace's retention of restricted data
 * ends (`retention.ts`).
 */
import type { OperationContext } from "../../context.ts";
import { sweepRecalls } from "../../db/queries/recall_diary.ts";
import * as queries from "../../db/queries/sweeping.ts";
import { sweepDeliveries } from "../../db/queries/webhook_log.ts";
import type { Tx } from "../../db/tx.ts";
import { nextErasureAt } from "./retention.ts";
import { forgetOldReplies } from "../access/idempotency.ts";

/** Rows of one kind in one transaction. Removing a job also removes its steps, up to some thousand. */
const ROWS_MAX = 500;
const JOBS_MAX = 10;
const DAY_MS = 86_400_000;
/** Restricted data that something younger still needs, or that could not be erased, is looked at again after so long. */
const ERASE_AGAIN_MS = 3_600_000;

/** Removes a bounded number of due rows in one workspace; true while there may be more. */
export async function sweepWorkspace(ctx: OperationContext): Promise<boolean> {
  const { jobsDays, reasoningDays, trajectoriesDays, breakGlassDays, webhooksDays } = ctx.deps.config.kept;
  const swept = await ctx.tx(async (tx) => {
    const before = (days: number) => new Date(tx.now.getTime() - days * DAY_MS);
    const after = <T>(days: number, sweep: () => Promise<T[]>) => days === 0 ? [] : sweep();
    const [jobs, entries, grants, trajectories, recalls, uses, secrets, sent] = await Promise.all([
      after(jobsDays, () => queries.sweepJobs(tx, before(jobsDays), JOBS_MAX)),
      after(reasoningDays, () => queries.sweepReasoning(tx, before(reasoningDays), ROWS_MAX)),
      after(breakGlassDays, () => queries.sweepBreakGlass(tx, breakGlassDays, ROWS_MAX)),
      trajectoriesDays === 0 ? 0 : queries.sweepTrajectories(tx, before(trajectoriesDays), ROWS_MAX),
      sweepRecalls(tx, ROWS_MAX),
      queries.sweepReasoningUses(tx, before(1), ROWS_MAX),
      queries.sweepFormerSecrets(tx, before(1), ROWS_MAX),
      sweepDeliveries(tx, { ended: before(webhooksDays), dead: before(3 * webhooksDays), limit: ROWS_MAX }),
    ]);
    tell(tx, { jobs, entries, grants, trajectories, recalls });
    return jobs.length === JOBS_MAX ||
      [entries.length, grants.length, trajectories, recalls, uses, secrets, sent].includes(ROWS_MAX);
  });
  return await forgetOldReplies(ctx) || swept;
}

/** One sweep removes all rows that become due within this time, in milliseconds. */
const TOGETHER_MS = 600_000;

/** When the next row that is kept for a time is to be removed, or restricted data to be erased. */
export async function nextSweepAt(ctx: OperationContext): Promise<Date | undefined> {
  const { kept } = ctx.deps.config;
  const { sweepAt, eraseAt } = await ctx.tx(async (tx) => ({
    sweepAt: await queries.readNextSweep(tx, kept),
    eraseAt: await nextErasureAt(tx),
  }), { readOnly: true });
  const now = ctx.deps.clock().getTime();
  const soonest = (at: Date | undefined, againMs: number) => {
    if (at === undefined) return [];
    // What is over already must not be removed yet, for instance the last job of its kind.
    return [at.getTime() <= now ? now + againMs : Math.max(at.getTime(), now + TOGETHER_MS)];
  };
  const times = [...soonest(sweepAt, DAY_MS), ...soonest(eraseAt, ERASE_AGAIN_MS)];
  return times.length === 0 ? undefined : new Date(Math.min(...times));
}

interface Swept {
  readonly jobs: readonly string[];
  readonly entries: readonly queries.SweptEntry[];
  readonly grants: readonly string[];
  readonly trajectories: number;
  readonly recalls: number;
}

/** Records the removal of rows that callers could read; for entries that can be watched, in the feed, too. */
function tell(tx: Tx, { jobs, entries, grants, trajectories, recalls }: Swept): void {
  const targets = [...jobs, ...entries.map((entry) => entry.id), ...grants];
  const targetCount = targets.length + trajectories + recalls;
  if (targetCount === 0) return;
  for (const { id: resourceId, version, sensitivity } of entries) {
    tx.record({ kind: "reasoning.deleted", resourceType: "reasoning", resourceId, version, sensitivity });
  }
  const detail = { jobs: jobs.length, reasoning: entries.length, breakGlass: grants.length, trajectories, recalls };
  tx.audit({ eventType: "retention.swept", targets, targetCount, detail });
}
