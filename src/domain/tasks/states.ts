/** The rules of a task's states, without I/O. */
import type { TaskRow } from "../../db/queries/tasks.ts";
import { ServiceError } from "../../errors.ts";
import type { TaskStatus } from "../../schema/task.ts";

/** The states to which a caller may take a task from each state. Only a lease's end takes one back to `pending`. */
const LEGAL: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  pending: ["in_progress", "cancelled"],
  in_progress: ["blocked", "completed", "failed", "cancelled"],
  blocked: ["in_progress", "failed", "cancelled"],
  completed: [],
  failed: [],
  cancelled: [],
};

export function isFinished(status: TaskStatus): boolean {
  return LEGAL[status].length === 0;
}

/** A refusal that says which states the task may go to. */
export function refuseTask(task: Pick<TaskRow, "status">, verb: string): ServiceError {
  const legal = LEGAL[task.status];
  const ways = legal.length === 0 ? "a finished task does not change" : `it may become ${legal.join(", ")}`;
  return new ServiceError("invalid_transition", `Cannot ${verb}: the task is ${task.status}; ${ways}`, {
    extra: { taskStatus: task.status, legal },
  });
}

/** @throws ServiceError `invalid_transition` */
export function requireUnfinished(task: Pick<TaskRow, "status">, verb: string): void {
  if (isFinished(task.status)) throw refuseTask(task, verb);
}

/** @throws ServiceError `invalid_transition` with the legal states. */
export function requireLegal(from: TaskStatus, to: TaskStatus): void {
  if (!LEGAL[from].includes(to)) throw refuseTask({ status: from }, `make the task ${to}`);
}

export function hasLapsed(task: Pick<TaskRow, "leaseExpiresAt">, now: Date): boolean {
  return task.leaseExpiresAt !== null && task.leaseExpiresAt <= now;
}

/** The task at a time: once its lease has run out, it waits again for the agent for whom it waited before the claim. */
export function taskAt(task: TaskRow, now: Date): TaskRow {
  if (!hasLapsed(task, now)) return task;
  return {
    ...task,
    status: "pending",
    statusReason: `the lease of ${task.agentId} ran out`,
    agentId: task.isAgentClaimed ? null : task.agentId,
    isAgentClaimed: false,
    leaseExpiresAt: null,
  };
}

/** The members that change with a state. Only work in progress has a lease. */
export function enterState(task: TaskRow, status: TaskStatus, reason: string | null, now: Date): TaskRow {
  return {
    ...task,
    status,
    statusReason: reason,
    leaseExpiresAt: status === "in_progress" ? task.leaseExpiresAt : null,
    startedAt: status === "in_progress" ? task.startedAt ?? now : task.startedAt,
    finishedAt: isFinished(status) ? now : null,
  };
}
