/** Statements on `job` and `job_step`: work that outlasts its request, leased by one process at a time. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Sql, Tx } from "../tx.ts";

export type JobState = "queued" | "running" | "completed" | "failed";

export interface JobRow {
  readonly id: string;
  readonly kind: string;
  readonly state: JobState;
  /** The clearance with which it runs. */
  readonly sensitivity: Sensitivity;
  readonly input: Readonly<Record<string, unknown>>;
  readonly progress: Readonly<Record<string, unknown>>;
  readonly report: Readonly<Record<string, unknown>> | null;
  readonly failure: string | null;
  readonly attempts: number;
  readonly leaseId: string | null;
  readonly leaseExpiresAt: Date | null;
  readonly requestedBy: string;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly updatedAt: Date;
}

function columns(sql: Sql) {
  return sql`
    id, kind, state, sensitivity, input, progress, report, failure, attempts, lease_id as "leaseId",
    lease_expires_at as "leaseExpiresAt", requested_by as "requestedBy", created_at as "createdAt",
    started_at as "startedAt", finished_at as "finishedAt", updated_at as "updatedAt"`;
}

/** Stores a new job; undefined if its kind allows one open job and there is another, perhaps an invisible one. */
export async function insertJob(
  tx: Tx,
  job: Pick<JobRow, "id" | "kind" | "sensitivity" | "input">,
): Promise<JobRow | undefined> {
  const { sql } = tx;
  const [row] = await sql<JobRow[]>`
    insert into job (workspace_id, id, kind, sensitivity, input, requested_by, created_at, updated_at)
    values (${tx.workspaceId}, ${job.id}, ${job.kind}, ${job.sensitivity}, ${sql.json(job.input)}, ${tx.actor},
            ${tx.now}, ${tx.now})
        on conflict do nothing returning ${columns(sql)}`;
  return row;
}

export async function findJob(tx: Tx, id: string): Promise<JobRow | undefined> {
  const [row] = await tx.sql<JobRow[]>`
    select ${columns(tx.sql)} from job where workspace_id = ${tx.workspaceId} and id = ${id}`;
  return row;
}

/** The job of a kind that waits or runs, if the transaction may see it. */
export async function findOpenJob(tx: Tx, kind: string): Promise<JobRow | undefined> {
  const [row] = await tx.sql<JobRow[]>`
    select ${columns(tx.sql)} from job
     where workspace_id = ${tx.workspaceId} and kind = ${kind} and state in ('queued', 'running') limit 1`;
  return row;
}

export interface JobFilter {
  readonly kinds: readonly string[] | undefined;
  readonly states: readonly JobState[] | undefined;
  readonly order: "asc" | "desc";
  readonly after: string | undefined;
  readonly limit: number;
}

export async function listJobs(tx: Tx, { kinds, states, order, after, limit }: JobFilter): Promise<JobRow[]> {
  const { sql } = tx;
  return await sql<JobRow[]>`
    select ${columns(sql)} from job
     where workspace_id = ${tx.workspaceId}
       ${kinds === undefined ? sql`` : sql`and kind = any(${kinds as string[]}::text[])`}
       ${states === undefined ? sql`` : sql`and state = any(${states as string[]}::text[])`}
       ${after === undefined ? sql`` : order === "asc" ? sql`and id > ${after}` : sql`and id < ${after}`}
     order by id ${order === "asc" ? sql`asc` : sql`desc`} limit ${limit}`;
}

export interface LastRunRow {
  readonly id: string;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly report: Readonly<Record<string, unknown>>;
}

/** The last job of a kind that was completed and was no dry run. */
export async function findLastRun(tx: Tx, kind: string): Promise<LastRunRow | undefined> {
  const [row] = await tx.sql<LastRunRow[]>`
    select id, started_at as "startedAt", finished_at as "finishedAt", report from job
     where workspace_id = ${tx.workspaceId} and kind = ${kind} and state = 'completed'
       and coalesce((input ->> 'dryRun')::boolean, false) = false
     order by id desc limit 1`;
  return row;
}

/** When a job of a kind that is no dry run was last asked for, however it ended; null: never. */
export async function readLastAskedAt(tx: Tx, kind: string): Promise<Date | null> {
  const [row] = await tx.sql<{ at: Date }[]>`
    select created_at as at from job
     where workspace_id = ${tx.workspaceId} and kind = ${kind}
       and coalesce((input ->> 'dryRun')::boolean, false) = false
     order by id desc limit 1`;
  return row?.at ?? null;
}

/** A process's request to lease a job. */
export interface LeaseRequest {
  readonly kinds: readonly string[];
  /** Whether somebody holds the consolidation gate; jobs that change knowledge wait then. */
  readonly isHeld: boolean;
  readonly leaseId: string;
  readonly leaseExpiresAt: Date;
}

/**
 * Leases the oldest job that waits, or whose process has let its lease run out. A workspace's jobs run one after the
 * other: undefined while one runs.
 */
export async function leaseJob(tx: Tx, request: LeaseRequest): Promise<JobRow | undefined> {
  const { sql, workspaceId: ws, now } = tx;
  const held = request.isHeld
    ? sql`and not (j.kind = 'consolidate' and coalesce((j.input ->> 'dryRun')::boolean, false) = false)`
    : sql``;
  const [row] = await sql<JobRow[]>`
    update job set state = 'running', lease_id = ${request.leaseId}, lease_expires_at = ${request.leaseExpiresAt},
                   attempts = attempts + 1, started_at = coalesce(started_at, ${now}::timestamptz), updated_at = ${now}
     where workspace_id = ${ws} and id = (
       select j.id from job j
        where j.workspace_id = ${ws} and j.kind = any(${request.kinds as string[]}::text[])
          and (j.state = 'queued' or (j.state = 'running' and j.lease_expires_at <= ${now})) ${held}
          and not exists (
            select from job r
             where r.workspace_id = ${ws} and r.kind = any(${request.kinds as string[]}::text[])
               and r.state = 'running' and r.lease_expires_at > ${now})
        order by j.id limit 1 for update skip locked)
    returning ${columns(sql)}`;
  return row;
}

/** Whether a job waits to be leased; a cheap check before `leaseJob`. */
export async function hasOpenJob(tx: Tx, kinds: readonly string[]): Promise<boolean> {
  const rows = await tx.sql`
    select 1 from job
     where workspace_id = ${tx.workspaceId} and state in ('queued', 'running')
       and kind = any(${kinds as string[]}::text[]) limit 1`;
  return rows.length > 0;
}

/** Renews the lease; false when another process has it. The row stays locked. */
export async function renewLease(
  tx: Tx,
  job: Pick<JobRow, "id" | "leaseId">,
  leaseExpiresAt: Date,
): Promise<boolean> {
  const rows = await tx.sql`
    update job set lease_expires_at = ${leaseExpiresAt}, updated_at = ${tx.now}
     where workspace_id = ${tx.workspaceId} and id = ${job.id} and lease_id = ${job.leaseId}
    returning id`;
  return rows.length === 1;
}

/** Gives a job back to the queue. */
export async function releaseJob(tx: Tx, job: Pick<JobRow, "id" | "leaseId">): Promise<void> {
  await tx.sql`
    update job set state = 'queued', lease_id = null, lease_expires_at = null, attempts = attempts - 1,
                   updated_at = ${tx.now}
     where workspace_id = ${tx.workspaceId} and id = ${job.id} and lease_id = ${job.leaseId}`;
}

/** Ends a job; undefined when another process has it. */
export async function finishJob(
  tx: Tx,
  job: Pick<JobRow, "id" | "leaseId">,
  end:
    | { readonly report: Readonly<Record<string, unknown>> }
    | { readonly failure: string; readonly report?: Readonly<Record<string, unknown>> },
): Promise<JobRow | undefined> {
  const { sql } = tx;
  const report = end.report === undefined ? null : sql.json(end.report);
  const failure = "failure" in end ? end.failure : null;
  const [row] = await sql<JobRow[]>`
    update job set state = ${failure === null ? "completed" : "failed"}, report = ${report}, failure = ${failure},
                   lease_id = null, lease_expires_at = null, finished_at = ${tx.now}, updated_at = ${tx.now}
     where workspace_id = ${tx.workspaceId} and id = ${job.id} and lease_id = ${job.leaseId}
    returning ${columns(sql)}`;
  return row;
}

export interface JobStepRow {
  readonly step: number;
  readonly kind: string;
  readonly unitIds: readonly string[];
  readonly detail: Readonly<Record<string, unknown>>;
  readonly doneAt: Date;
  readonly revertedBy: string | null;
}

/** Adds the next step of a job whose row the transaction has locked, and stores the job's progress. */
export async function insertJobStep(
  tx: Tx,
  job: Pick<JobRow, "id" | "sensitivity">,
  step: Pick<JobStepRow, "kind" | "unitIds" | "detail">,
  phase: string | null,
): Promise<void> {
  const { sql, workspaceId: ws } = tx;
  await sql`
    with made as (
    insert into job_step (workspace_id, job_id, step_no, sensitivity, kind, unit_ids, detail, done_at)
    select ${ws}, ${job.id}, coalesce(max(step_no), 0) + 1, ${job.sensitivity}::sensitivity, ${step.kind},
           ${step.unitIds as string[]}::uuid[], ${sql.json(step.detail)}, ${tx.now}
      from job_step where workspace_id = ${ws} and job_id = ${job.id}
    returning step_no)
    update job set progress = jsonb_build_object('phase', ${phase}::text, 'steps', made.step_no)
      from made where workspace_id = ${ws} and id = ${job.id}`;
}

export async function listJobSteps(
  tx: Tx,
  jobId: string,
  window: { readonly order: "asc" | "desc"; readonly limit: number },
): Promise<JobStepRow[]> {
  const { sql } = tx;
  return await sql<JobStepRow[]>`
    select step_no as step, kind, unit_ids as "unitIds", detail, done_at as "doneAt", reverted_by as "revertedBy"
      from job_step where workspace_id = ${tx.workspaceId} and job_id = ${jobId}
     order by step_no ${window.order === "asc" ? sql`asc` : sql`desc`} limit ${window.limit}`;
}

/** Notes that a step was reverted. */
export async function markReverted(tx: Tx, jobId: string, step: number, by: string): Promise<void> {
  await tx.sql`
    update job_step set reverted_by = ${by}
     where workspace_id = ${tx.workspaceId} and job_id = ${jobId} and step_no = ${step}`;
}
