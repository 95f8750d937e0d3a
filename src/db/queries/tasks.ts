/** Statements on `task` and `task_dependency`. Times are Dates; the domain turns rows into resources. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Delegation, TaskKind, TaskStatus } from "../../schema/task.ts";
import type { Sql, Tx } from "../tx.ts";

export interface TaskRow {
  readonly id: string;
  readonly version: number;
  readonly kind: TaskKind;
  readonly status: TaskStatus;
  readonly statusReason: string | null;
  readonly title: string;
  readonly description: string | null;
  readonly priority: number;
  readonly agentId: string | null;
  /** The agent was set by a claim, and is removed with it. */
  readonly isAgentClaimed: boolean;
  readonly dependsOn: readonly string[];
  readonly leaseExpiresAt: Date | null;
  readonly dueAt: Date | null;
  readonly result: unknown;
  readonly delegations: readonly Delegation[];
  readonly sensitivity: Sensitivity;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly createdBy: string;
}

function columns(sql: Sql) {
  return sql`
    t.id, t.version, t.kind, t.status, t.status_reason as "statusReason", t.title, t.description, t.priority,
    t.agent_id as "agentId", t.is_agent_claimed as "isAgentClaimed",
    array(select d.depends_on from task_dependency d
           where d.workspace_id = t.workspace_id and d.task_id = t.id order by d.depends_on) as "dependsOn",
    t.lease_expires_at as "leaseExpiresAt", t.due_at as "dueAt", t.result, t.delegations, t.sensitivity, t.tags,
    t.metadata, t.started_at as "startedAt", t.finished_at as "finishedAt", t.created_at as "createdAt",
    t.updated_at as "updatedAt", t.created_by as "createdBy"`;
}

/** Inserts a task; its dependencies are written separately. */
export async function insertTask(tx: Tx, task: TaskRow): Promise<void> {
  const { sql } = tx;
  await sql`
    insert into task (workspace_id, id, version, kind, status, title, description, priority, agent_id, due_at,
                      sensitivity, tags, metadata, created_at, updated_at, created_by)
    values (${tx.workspaceId}, ${task.id}, ${task.version}, ${task.kind}, ${task.status}, ${task.title},
            ${task.description}, ${task.priority}, ${task.agentId}, ${task.dueAt}, ${task.sensitivity},
            ${task.tags as string[]}, ${sql.json(task.metadata)}, ${task.createdAt}, ${task.updatedAt},
            ${task.createdBy})`;
}

/** Writes the columns that may change, of a task that the transaction has locked. */
export async function updateTask(tx: Tx, task: TaskRow): Promise<void> {
  const { sql } = tx;
  const result = task.result === null ? null : sql.json(task.result);
  await sql`
    update task set
      version = ${task.version}, status = ${task.status}, status_reason = ${task.statusReason}, title = ${task.title},
      description = ${task.description}, priority = ${task.priority}, agent_id = ${task.agentId},
      is_agent_claimed = ${task.isAgentClaimed}, lease_expires_at = ${task.leaseExpiresAt}, due_at = ${task.dueAt},
      result = ${result}, delegations = ${sql.json(task.delegations)}, tags = ${task.tags as string[]},
      metadata = ${sql.json(task.metadata)}, started_at = ${task.startedAt},
      finished_at = ${task.finishedAt}, updated_at = ${task.updatedAt}
     where workspace_id = ${tx.workspaceId} and id = ${task.id}`;
}

export async function findTask(
  tx: Tx,
  id: string,
  options: { readonly lock?: boolean } = {},
): Promise<TaskRow | undefined> {
  const { sql } = tx;
  const [row] = await sql<TaskRow[]>`
    select ${columns(sql)} from task t where t.workspace_id = ${tx.workspaceId} and t.id = ${id}
      ${options.lock === true ? sql`for update of t` : sql``}`;
  return row;
}

/** Tasks whose lease has run out, the oldest first; those that somebody is changing are passed over. */
export async function lockLapsedTasks(tx: Tx, limit: number): Promise<TaskRow[]> {
  return await tx.sql<TaskRow[]>`
    select ${columns(tx.sql)} from task t
     where t.workspace_id = ${tx.workspaceId} and t.lease_expires_at <= ${tx.now}
     order by t.lease_expires_at, t.id limit ${limit} for update of t skip locked`;
}

/** When the next lease of a task runs out; undefined if none is held. */
export async function readNextLapse(tx: Tx): Promise<Date | undefined> {
  const [row] = await tx.sql<{ at: Date | null }[]>`
    select min(lease_expires_at) as at from task
     where workspace_id = ${tx.workspaceId} and lease_expires_at is not null`;
  return row?.at ?? undefined;
}

export interface TaskFilter {
  readonly agentId: string | undefined;
  readonly statuses: readonly TaskStatus[] | undefined;
  readonly kind: TaskKind | undefined;
  readonly priorities: readonly number[] | undefined;
  readonly dueBefore: Date | undefined;
  readonly order: "asc" | "desc";
  /** The last id of the page before. */
  readonly after: string | undefined;
  readonly limit: number;
}

/**
 * Tasks in the order of their creation. One whose lease has run out counts as pending, without the agent that claimed
 * it.
 */
export async function listTasks(tx: Tx, filter: TaskFilter): Promise<TaskRow[]> {
  const { sql } = tx;
  const { agentId, statuses, kind, priorities, dueBefore, after, order } = filter;
  const hasLapsed = sql`coalesce(t.lease_expires_at <= ${tx.now}, false)`;
  const stored = statuses?.includes("pending") ? [...statuses, "in_progress"] : statuses;
  return await sql<TaskRow[]>`
    select ${columns(sql)} from task t
     where t.workspace_id = ${tx.workspaceId}
       ${agentId === undefined ? sql`` : sql`and t.agent_id = ${agentId} and not (t.is_agent_claimed and ${hasLapsed})`}
       ${
    statuses === undefined ? sql`` : sql`
       and t.status = any(${stored as string[]}::text[])
       and case when ${hasLapsed} then 'pending' else t.status end = any(${statuses as string[]}::text[])`
  }
       ${kind === undefined ? sql`` : sql`and t.kind = ${kind}`}
       ${priorities === undefined ? sql`` : sql`and t.priority = any(${priorities as number[]}::int[])`}
       ${dueBefore === undefined ? sql`` : sql`and t.due_at < ${dueBefore}`}
       ${after === undefined ? sql`` : order === "asc" ? sql`and t.id > ${after}` : sql`and t.id < ${after}`}
     order by t.id ${order === "asc" ? sql`asc` : sql`desc`} limit ${filter.limit}`;
}

/** Replaces the dependencies of a task. */
export async function replaceDependencies(tx: Tx, id: string, dependsOn: readonly string[]): Promise<void> {
  await tx.sql`delete from task_dependency where workspace_id = ${tx.workspaceId} and task_id = ${id}`;
  if (dependsOn.length === 0) return;
  await tx.sql`
    insert into task_dependency (workspace_id, task_id, depends_on)
    select ${tx.workspaceId}, ${id}, depends_on from unnest(${dependsOn as string[]}::uuid[]) as t(depends_on)`;
}

/** The columns of a task that another one depends on. */
export interface DependencyRow {
  readonly id: string;
  readonly status: TaskStatus;
  readonly sensitivity: Sensitivity;
}

/** Tasks by id, as far as they are visible. */
export async function findDependencies(tx: Tx, ids: readonly string[]): Promise<DependencyRow[]> {
  return await tx.sql<DependencyRow[]>`
    select id, status, sensitivity from task
     where workspace_id = ${tx.workspaceId} and id = any(${ids as string[]}::uuid[])`;
}

/** Returns those of `ids` that depend, directly or through others, on the task `id`. */
export async function findDependants(tx: Tx, id: string, ids: readonly string[]): Promise<string[]> {
  const rows = await tx.sql<{ start: string }[]>`
    with recursive path as (
      select s.start, s.start as task_id from unnest(${ids as string[]}::uuid[]) as s(start)
      union
      select p.start, d.depends_on from path p
        join task_dependency d on d.workspace_id = ${tx.workspaceId} and d.task_id = p.task_id
    )
    select start from path where task_id = ${id}`;
  return rows.map((row) => row.start);
}

/** How many versions of a task are kept, the present one with them. */
export async function countTaskVersions(tx: Tx, id: string): Promise<number> {
  const [row] = await tx.sql<[{ n: number }]>`
    select count(*)::int + 1 as n from task_revision where workspace_id = ${tx.workspaceId} and id = ${id}`;
  return row.n;
}

/** Deletes a task with its history and the dependencies on it. */
export async function deleteTask(tx: Tx, id: string): Promise<void> {
  await tx.sql`delete from task where workspace_id = ${tx.workspaceId} and id = ${id}`;
}
