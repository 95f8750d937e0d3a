/** Statements on `job` and `job_step`: work that outlasts its request, leased by one process at a time. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Sql, Tx } from "../scope.ts";

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

/** Stores a new job; undefined where one of the kind may stand but once and another does, also an invisible one. */
export async function insertJob(
  tx: Tx,
  job: Pick<JobRow, "id" | "kind" | "sensitivity" | "input">,
): Promise<JobRow | undefined> {
  const { sql } = tx;
  const [row] = await sql<JobRow[]>`
    insert into job (workspace_id, id, kind, sensitivity, input, requested_by, created_at, updated_at)
    values (${tx.workspaceId}, ${job.id}, ${job.kind}, ${job.sensitivity}, ${sql.json(job.input as never)}, ${tx.actor},
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
