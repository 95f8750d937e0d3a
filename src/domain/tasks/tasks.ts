/** Tasks: create, read, list, change, claim, delegate. */
import type { OperationContext } from "../../context.ts";
import { uuidv7 } from "../../crypto/ids.ts";
import { canonicalJson } from "../../crypto/canonical_json.ts";
import type { Tx } from "../../db/tx.ts";
import * as queries from "../../db/queries/tasks.ts";
import type { TaskRow } from "../../db/queries/tasks.ts";
import { lockNames } from "../../db/queries/units.ts";
import { ServiceError } from "../../errors.ts";
import type { Page } from "../../schema/common.ts";
import {
  type ClaimTaskBody,
  type CreateTaskBody,
  type DelegateTaskBody,
  DELEGATIONS_MAX,
  type ListTasksQuery,
  type Task,
  type UpdateTaskBody,
} from "../../schema/task.ts";
import { decodeCursor, encodeCursor, isId, toPage } from "../common/cursor.ts";
import { requireTask } from "./erase.ts";
import { checkDependencies, DEPENDENCIES_LOCK, requireDependencies, requireStartable } from "./dependencies.ts";
import { enterState, hasLapsed, requireLegal, requireUnfinished, taskAt } from "./states.ts";
import { mostSensitive, requireClearance } from "../unit/trust.ts";
import { requireVersion } from "../unit/store.ts";

const READ_ONLY = { readOnly: true };
/** The most leases that one transaction ends. */
const RELEASE_MAX = 500;

/**
 * Creates a task, `pending`.
 * @throws ServiceError `validation_failed` when a dependency is not known or more sensitive than the task, or the task
 * would be above the caller's clearance.
 */
export async function createTask(ctx: OperationContext, body: CreateTaskBody): Promise<Task> {
  if (body.sensitivity !== undefined) requireClearance(ctx, body.sensitivity);
  return await ctx.tx(async (tx) => {
    const dependsOn = [...new Set(body.dependsOn)].sort();
    const found = dependsOn.length === 0 ? [] : await queries.findDependencies(tx, dependsOn);
    const sensitivity = body.sensitivity ?? mostSensitive("internal", ...found.map((task) => task.sensitivity));
    requireClearance(ctx, sensitivity);
    requireDependencies(found, body.dependsOn, sensitivity);
    const task: TaskRow = {
      id: uuidv7(tx.now),
      version: 1,
      kind: body.kind,
      status: "pending",
      statusReason: null,
      title: body.title,
      description: body.description ?? null,
      priority: body.priority,
      agentId: body.agentId ?? null,
      isAgentClaimed: false,
      dependsOn,
      leaseExpiresAt: null,
      dueAt: body.dueAt === undefined ? null : new Date(body.dueAt),
      result: null,
      delegations: [],
      sensitivity,
      tags: [...new Set(body.tags)],
      metadata: body.metadata,
      startedAt: null,
      finishedAt: null,
      createdAt: tx.now,
      updatedAt: tx.now,
      createdBy: tx.actor,
    };
    await queries.insertTask(tx, task);
    if (dependsOn.length > 0) await queries.replaceDependencies(tx, task.id, dependsOn);
    recordTask(tx, "created", task);
    return toTask(task);
  });
}

/** @throws ServiceError `not_found` */
export async function getTask(ctx: OperationContext, id: string): Promise<Task> {
  return await ctx.tx(
    async (tx) => toTask(taskAt(await requireTask(tx, id, await queries.findTask(tx, id)), tx.now)),
    READ_ONLY,
  );
}

/** Lists tasks by creation, the newest first unless the caller asks otherwise. */
export async function listTasks(ctx: OperationContext, query: ListTasksQuery): Promise<Page<Task>> {
  const { limit, order, agentId, kind } = query;
  const filter = {
    agentId,
    kind,
    order,
    statuses: query.status,
    priorities: query.priority,
    dueBefore: query.dueBefore === undefined ? undefined : new Date(query.dueBefore),
    after: decodeCursor("tasks", order, query.cursor, isId),
    limit: limit + 1,
  };
  return await ctx.tx(async (tx) => {
    const rows = await queries.listTasks(tx, filter);
    return toPage(rows, limit, (row) => toTask(taskAt(row, tx.now)), (row) => encodeCursor("tasks", order, row.id));
  }, { readOnly: true, fromReplica: true });
}

/**
 * Changes a task that is not finished. A patch that changes nothing makes no version.
 * @throws ServiceError `not_found`, `version_mismatch`, `invalid_transition` with the legal states, `validation_failed`
 */
export async function updateTask(
  ctx: OperationContext,
  id: string,
  body: UpdateTaskBody,
  ifMatch: number | undefined,
): Promise<Task> {
  return await ctx.tx(async (tx) => {
    if (body.dependsOn !== undefined) await lockNames(tx, [DEPENDENCIES_LOCK]);
    const task = await lockTask(tx, id, ifMatch);
    requireUnfinished(task, "change the task");
    let next = applyPatch(task, body);
    if (body.dependsOn !== undefined) {
      next = { ...next, dependsOn: await checkDependencies(tx, task, body.dependsOn) };
    }
    if (body.status !== undefined && body.status !== task.status) {
      requireLegal(task.status, body.status);
      if (body.status === "in_progress") await requireStartable(tx, next);
      next = enterState(next, body.status, body.reason ?? null, tx.now);
    } else if (body.reason !== undefined) next = { ...next, statusReason: body.reason };
    if (canonicalJson(toTask(next)) === canonicalJson(toTask(task))) return toTask(task);
    const written = await writeTask(tx, next, next.status === task.status ? "updated" : next.status);
    // Written after the task, because the task's history records the previous dependencies.
    if (next.dependsOn.join() !== task.dependsOn.join()) await queries.replaceDependencies(tx, id, next.dependsOn);
    return toTask(written);
  });
}

function applyPatch(task: TaskRow, body: UpdateTaskBody): TaskRow {
  const { title, priority, metadata } = task;
  return {
    ...task,
    title: body.title ?? title,
    priority: body.priority ?? priority,
    metadata: body.metadata ?? metadata,
    tags: body.tags === undefined ? task.tags : [...new Set(body.tags)],
    description: body.description === undefined ? task.description : body.description,
    dueAt: body.dueAt === undefined ? task.dueAt : body.dueAt === null ? null : new Date(body.dueAt),
    result: body.result === undefined ? task.result : body.result,
  };
}

/**
 * Claims a task for an agent: it is in progress until the lease runs out, and then `pending` again. The agent that
 * holds it renews its lease, or resumes a blocked task, in the same way.
 * @throws ServiceError `not_found`, `version_mismatch`, `invalid_transition`; `conflict` when it is another agent's
 */
export async function claimTask(
  ctx: OperationContext,
  id: string,
  body: ClaimTaskBody,
  ifMatch: number | undefined,
): Promise<Task> {
  return await ctx.tx(async (tx) => {
    const task = await lockTask(tx, id, ifMatch);
    requireUnfinished(task, "claim the task");
    // An unassigned task that is in progress may be taken on, like a pending one.
    if (task.agentId !== null && task.agentId !== body.agentId) {
      throw new ServiceError("conflict", `Cannot claim the task: it is assigned to ${task.agentId}`, {
        extra: { agentId: task.agentId, leaseExpiresAt: task.leaseExpiresAt?.toISOString() ?? null },
      });
    }
    if (task.status !== "in_progress") await requireStartable(tx, task);
    const started = task.status === "in_progress" ? task : enterState(task, "in_progress", null, tx.now);
    return toTask(
      await writeTask(tx, {
        ...started,
        agentId: body.agentId,
        isAgentClaimed: task.isAgentClaimed || task.agentId === null,
        leaseExpiresAt: new Date(tx.now.getTime() + body.ttlSeconds * 1_000),
      }, "claimed"),
    );
  });
}

/**
 * Hands a task to another agent and extends the trail. Its state stays; a lease ends, because it was the other agent's.
 * @throws ServiceError `not_found`, `version_mismatch`, `invalid_transition`; `conflict` when it is the agent's already
 * or the trail is full
 */
export async function delegateTask(
  ctx: OperationContext,
  id: string,
  body: DelegateTaskBody,
  ifMatch: number | undefined,
): Promise<Task> {
  return await ctx.tx(async (tx) => {
    const task = await lockTask(tx, id, ifMatch);
    requireUnfinished(task, "delegate the task");
    if (task.agentId === body.agentId) {
      throw new ServiceError("conflict", `Cannot delegate the task: it is already assigned to ${body.agentId}`);
    }
    if (task.delegations.length >= DELEGATIONS_MAX) {
      throw new ServiceError("conflict", `Cannot delegate the task: it was delegated ${DELEGATIONS_MAX} times already`);
    }
    const { agentId: from } = task;
    const step = { from, to: body.agentId, at: tx.now.toISOString(), by: tx.actor, reason: body.reason ?? null };
    return toTask(
      await writeTask(tx, {
        ...task,
        agentId: body.agentId,
        isAgentClaimed: false,
        leaseExpiresAt: null,
        delegations: [...task.delegations, step],
      }, "delegated"),
    );
  });
}

/**
 * Takes back tasks whose lease has run out, at most 500. Readers see them as `pending` already; this writes it. Returns
 * their number; call again while it is the full number.
 */
export async function releaseLapsedTasks(ctx: OperationContext): Promise<number> {
  return await ctx.tx(async (tx) => {
    const lapsed = await queries.lockLapsedTasks(tx, RELEASE_MAX);
    for (const task of lapsed) await writeTask(tx, taskAt(task, tx.now), "lease_expired");
    return lapsed.length;
  });
}

/** When the next lease runs out. */
export async function nextLapseAt(ctx: OperationContext): Promise<Date | undefined> {
  return await ctx.tx((tx) => queries.readNextLapse(tx), READ_ONLY);
}

/**
 * A task, locked for the rest of the transaction. A lapsed lease is written first, as a version of its own.
 * @throws ServiceError `not_found`, `version_mismatch`
 */
async function lockTask(tx: Tx, id: string, ifMatch: number | undefined): Promise<TaskRow> {
  const task = await requireTask(tx, id, await queries.findTask(tx, id, { lock: true }));
  requireVersion(task, ifMatch);
  return hasLapsed(task, tx.now) ? await writeTask(tx, taskAt(task, tx.now), "lease_expired") : task;
}

async function writeTask(tx: Tx, task: TaskRow, event: string): Promise<TaskRow> {
  const next = { ...task, version: task.version + 1, updatedAt: tx.now };
  await queries.updateTask(tx, next);
  recordTask(tx, event, next);
  return next;
}

/** Records a task in the feed: its state, never its content. */
export function recordTask(tx: Tx, event: string, task: TaskRow): void {
  tx.record({
    kind: `task.${event}`,
    resourceType: "task",
    resourceId: task.id,
    version: task.version,
    sensitivity: task.sensitivity,
    payload: { status: task.status },
  });
}

function iso(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}

function toTask(row: TaskRow): Task {
  return {
    id: row.id,
    version: row.version,
    kind: row.kind,
    status: row.status,
    statusReason: row.statusReason,
    title: row.title,
    description: row.description,
    priority: row.priority,
    agentId: row.agentId,
    dependsOn: [...row.dependsOn],
    leaseExpiresAt: iso(row.leaseExpiresAt),
    dueAt: iso(row.dueAt),
    result: row.result as Task["result"],
    delegations: [...row.delegations],
    sensitivity: row.sensitivity,
    tags: [...row.tags],
    metadata: row.metadata as Task["metadata"],
    startedAt: iso(row.startedAt),
    finishedAt: iso(row.finishedAt),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    createdBy: row.createdBy,
  };
}
