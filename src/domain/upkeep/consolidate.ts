/**
 * Consolidation: marks expired facts, merges facts that say the same, archives worthless units, and makes strategies of
 * repeated episodes. It runs as a job; every step is listed and can be reverted; no step raises the trust of a unit.
 */
import type { OperationContext } from "../../context.ts";
import { findLastRun } from "../../db/queries/jobs.ts";
import * as jobQueries from "../../db/queries/jobs.ts";
import { lockNames } from "../../db/queries/units.ts";
import { ServiceError } from "../../errors.ts";
import type { ConsolidateBody, Job, JobReport } from "../../schema/job.ts";
import { insertJob, toJob } from "./jobs.ts";
import type { RunningJob } from "./running_job.ts";
import { archiveWorthless } from "./archiving.ts";
import { expireDue } from "./expiring.ts";
import { GATE_LOCK, isHeld, readGate, requireOpenGate } from "./consolidation_guard.ts";
import { mergeFacts } from "./merge_facts.ts";
import { promoteEpisodes } from "./promoting.ts";

/**
 * Queues a consolidation for a worker. A dry run changes nothing, so a closed gate does not stop it.
 * @throws ServiceError `gate_closed` with the conditions that fail; `conflict` while another waits or runs, with its id
 * if the caller may see it.
 */
export async function consolidate(ctx: OperationContext, { dryRun, force }: ConsolidateBody): Promise<Job> {
  const gate = await readGate(ctx);
  if (!dryRun) requireOpenGate(gate, force);
  return await ctx.tx(async (tx) => {
    // Somebody may have closed the gate since it was read.
    await lockNames(tx, [GATE_LOCK]);
    if (!dryRun && await isHeld(tx)) {
      throw new ServiceError("gate_closed", "Cannot consolidate: the gate is closed by manual_hold", {
        errors: [{ path: "gate.manual_hold", message: "somebody holds the gate" }],
      });
    }
    const row = await insertJob(ctx, tx, "consolidate", { dryRun, force, gate: gate.conditions });
    if (row !== undefined) return toJob(row, []);
    const other = await jobQueries.findOpenJob(tx, "consolidate");
    throw new ServiceError("conflict", "Cannot consolidate: another consolidation is waiting or running", {
      extra: other === undefined ? {} : { jobId: other.id },
    });
  });
}

/** The most steps of each kind in one job. */
export const LIMITS = { expire: 500, merge: 200, archive: 500, promote: 50 } as const;

/** The work of a consolidation job. */
export async function runConsolidation(job: RunningJob): Promise<Omit<JobReport, "steps">> {
  const last = await job.ctx.tx((tx) => findLastRun(tx, "consolidate"), { readOnly: true });
  const since = (last?.report as JobReport | undefined)?.throughDocNo ?? 0;
  job.enter("expire");
  await expireDue(job, LIMITS.expire);
  job.enter("merge");
  const { suggestions, throughDocNo } = await mergeFacts(job, LIMITS.merge, since);
  job.enter("archive");
  await archiveWorthless(job, LIMITS.archive);
  job.enter("promote");
  await promoteEpisodes(job, LIMITS.promote);
  const limited = Object.entries(LIMITS).filter(([kind, most]) => job.countOf(kind) >= most).map(([kind]) => kind);
  return { suggestions, throughDocNo, limited };
}
