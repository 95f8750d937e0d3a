/** Jobs: callers start, read and list them, and a worker runs them. */
import { createContext, type OperationContext } from "../../context.ts";
import { uuidv7 } from "../../crypto/ids.ts";
import * as queries from "../../db/queries/jobs.ts";
import type { JobRow, JobStepRow } from "../../db/queries/jobs.ts";
import { lockNames } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import type { Page } from "../../schema/common.ts";
import type { Job, JobReport, JobStep, JobSummary, ListJobsQuery } from "../../schema/job.ts";
import { jobFailed } from "../../telemetry/events.ts";
import type { StepEnd } from "../common/activity.ts";
import { decodeCursor, encodeCursor, isId, toPage } from "../common/cursor.ts";
import { isLockTimeout } from "../common/worker_lock_timeout.ts";
import { isHeld } from "./consolidation_guard.ts";
import { GateHeld, JobFailed, type JobWork, LEASE_MS, LeaseLost, RunningJob } from "./running_job.ts";

/** More steps than any job makes. */
const STEPS_MAX = 2_000;
/** A job that was started this often is assumed to kill the process that runs it. */
const ATTEMPTS_MAX = 5;
/** The lock under which processes take jobs, one at a time. */
const JOBS_LOCK = "jobs";

/** Stores a job for a worker in an open transaction; undefined if another one of its kind is waiting or running. */
export async function insertJob(
  ctx: OperationContext,
  tx: Tx,
  kind: string,
  input: Readonly<Record<string, unknown>>,
): Promise<JobRow | undefined> {
  const row = await queries.insertJob(tx, { id: uuidv7(tx.now), kind, sensitivity: ctx.maxSensitivity, input });
  if (row !== undefined) recordJob(tx, "queued", row);
  return row;
}

function recordJob(tx: Tx, event: string, row: JobRow): void {
  tx.record({
    kind: `job.${event}`,
    resourceType: "job",
    resourceId: row.id,
    version: 1,
    sensitivity: row.sensitivity,
    payload: { kind: row.kind, state: row.state },
  });
}

/** @throws ServiceError `not_found` */
export async function requireJob(tx: Tx, id: string): Promise<JobRow> {
  const row = await queries.findJob(tx, id);
  if (row === undefined) throw new ServiceError("not_found", "Cannot find the job");
  return row;
}

/**
 * A job with its steps.
 * @throws ServiceError `not_found`, also for a job that was requested with a higher clearance than the caller's.
 */
export async function getJob(ctx: OperationContext, id: string): Promise<Job> {
  return await ctx.tx(async (tx) => {
    const row = await requireJob(tx, id);
    return toJob(row, await queries.listJobSteps(tx, id, { order: "asc", limit: STEPS_MAX }));
  }, { readOnly: true });
}

export async function listJobs(ctx: OperationContext, query: ListJobsQuery): Promise<Page<JobSummary>> {
  const { limit, order } = query;
  const filter = {
    kinds: query.kind,
    states: query.state,
    order,
    after: decodeCursor("jobs", order, query.cursor, isId),
    limit: limit + 1,
  };
  const rows = await ctx.tx((tx) => queries.listJobs(tx, filter), { readOnly: true });
  return toPage(rows, limit, toSummary, (row) => encodeCursor("jobs", order, row.id));
}

export function toJob(row: JobRow, steps: readonly JobStepRow[]): Job {
  return { ...toSummary(row), steps: steps.map(toStep) };
}

function toSummary(row: JobRow): JobSummary {
  const { gate, ...input } = row.input as { gate?: JobSummary["gate"] } & JobSummary["input"];
  const { phase, steps } = row.progress as { phase?: string | null; steps?: number };
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    sensitivity: row.sensitivity,
    input: input as JobSummary["input"],
    gate: gate ?? null,
    progress: { phase: phase ?? null, steps: steps ?? 0 },
    report: row.report as JobReport | null,
    failure: row.failure,
    attempts: row.attempts,
    requestedBy: row.requestedBy,
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
    updatedAt: row.updatedAt.toISOString(),
  };
}

function toStep({ step, kind, detail, doneAt, revertedBy }: JobStepRow): JobStep {
  const { reason, units, undo } = detail as unknown as Pick<JobStep, "reason" | "units" | "undo">;
  return { step, kind, reason, units, undo, doneAt: doneAt.toISOString(), revertedBy };
}

/**
 * Runs the workspace's next job to its end, if one waits and none runs; true when it ran one, `later` while another process
 * does. If the process of a job died, the job is resumed when its lease has run out; completed steps are not repeated.
 */
export async function runNextJob(ctx: OperationContext, works: Readonly<Record<string, JobWork>>): Promise<StepEnd> {
  const kinds = Object.keys(works);
  if (!await ctx.tx((tx) => queries.hasOpenJob(tx, kinds), { readOnly: true })) return false;
  const leased = await ctx.tx(async (tx) => {
    await lockNames(tx, [JOBS_LOCK]);
    const held = await isHeld(tx);
    const row = await queries.leaseJob(tx, {
      kinds,
      isHeld: held,
      leaseId: crypto.randomUUID(),
      leaseExpiresAt: new Date(tx.now.getTime() + LEASE_MS),
    });
    const steps = row === undefined ? [] : await queries.listJobSteps(tx, row.id, { order: "asc", limit: STEPS_MAX });
    return { row, steps, held };
  });
  const { row, steps, held } = leased;
  // When somebody releases the gate, a change in the feed announces it.
  if (row === undefined) return held ? new Date(ctx.deps.clock().getTime() + LEASE_MS) : "later";
  // Everything that the job reads and writes is bound to the clearance of the caller who requested it.
  const bound = createContext(ctx.deps, { ...ctx, maxSensitivity: row.sensitivity }, ctx);
  const job = new RunningJob(bound, row, steps);
  try {
    if (row.attempts > ATTEMPTS_MAX) {
      throw new ServiceError("internal", `it was started ${row.attempts} times without success`);
    }
    const report = await works[row.kind]!(job);
    await finish(bound, row, { report: { ...report, steps: job.counts } });
  } catch (error) {
    if (error instanceof LeaseLost) return true;
    if (error instanceof GateHeld || isLockTimeout(error) || ctx.signal.aborted) {
      // While the service stops the caller's signal is aborted; the job must not wait for its lease.
      const late = createContext(ctx.deps, bound, { ...ctx, signal: AbortSignal.timeout(1_000) });
      await late.tx((tx) => queries.releaseJob(tx, row));
      return "later";
    }
    // After an error that a retry may avoid, such as a lost database, the job is resumed when its lease has run out.
    if (error instanceof ServiceError && error.retryable) throw error;
    jobFailed(ctx.deps.telemetry.log, { jobId: row.id, kind: row.kind, error });
    if (error instanceof JobFailed) {
      const report = { ...error.report, steps: job.counts };
      await finish(bound, row, { failure: error.message, report });
      return true;
    }
    const failure = error instanceof ServiceError ? error.message : "an internal error; the log tells it";
    await finish(bound, row, { failure });
  }
  return true;
}

async function finish(
  ctx: OperationContext,
  row: JobRow,
  end: { readonly report: JobReport } | { readonly failure: string; readonly report?: JobReport },
): Promise<void> {
  await ctx.tx(async (tx) => {
    const ended = await queries.finishJob(tx, row, end);
    if (ended !== undefined) recordJob(tx, ended.state, ended);
  });
}
