/**
 * The task that asks somebody to settle a conflict with a peer. It opens with the conflict and is completed when the
 * conflict ends in any way.
 */
import { uuidv7 } from "../../../crypto/ids.ts";
import { type ConflictRow, deleteConflictsOf } from "../../../db/queries/federation_conflicts.ts";
import * as tasks from "../../../db/queries/tasks.ts";
import type { TaskRow } from "../../../db/queries/tasks.ts";
import type { Tx } from "../../../db/tx.ts";
import { enterState, isFinished } from "../../tasks/states.ts";
import { recordTask } from "../../tasks/tasks.ts";

/** What the task refers to: ids, never content. */
type ToSettle = Pick<TaskRow, "sensitivity" | "metadata"> & { readonly writer: string };

/** Opens the task and returns its id. */
export async function openTask(tx: Tx, about: ToSettle): Promise<string> {
  const task = taskOf(tx, about);
  await tasks.insertTask(tx, task);
  recordTask(tx, "created", task);
  return task.id;
}

function taskOf(tx: Tx, { writer, sensitivity, metadata }: ToSettle): TaskRow {
  return {
    id: uuidv7(tx.now),
    version: 1,
    kind: "conflict_review",
    status: "pending",
    statusReason: null,
    title: `Settle what ${writer} says`,
    description: null,
    priority: 0,
    agentId: null,
    isAgentClaimed: false,
    dependsOn: [],
    leaseExpiresAt: null,
    dueAt: null,
    result: null,
    delegations: [],
    sensitivity,
    tags: [],
    metadata,
    startedAt: null,
    finishedAt: null,
    createdAt: tx.now,
    updatedAt: tx.now,
    createdBy: tx.actor,
  };
}

/** Completes the task of a conflict, unless it is finished already. */
export async function completeTask(tx: Tx, { taskId }: ConflictRow, reason: string): Promise<void> {
  const task = taskId === null ? undefined : await tasks.findTask(tx, taskId, { lock: true });
  if (task === undefined || isFinished(task.status)) return;
  const done = { ...enterState(task, "completed", reason, tx.now), version: task.version + 1, updatedAt: tx.now };
  await tasks.updateTask(tx, done);
  recordTask(tx, "completed", done);
}

/** Deletes the conflicts about a unit that was erased, and completes their tasks. */
export async function closeGone(tx: Tx, unitId: string): Promise<void> {
  for (const conflict of await deleteConflictsOf(tx, unitId)) await completeTask(tx, conflict, "it was erased");
}
