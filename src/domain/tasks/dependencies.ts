/**
 * Checks the dependencies of tasks: they form no cycle, a task is at least as sensitive as its dependencies, and it starts
 * only after they are completed.
 */
import type { Tx } from "../../db/tx.ts";
import * as queries from "../../db/queries/tasks.ts";
import type { TaskRow } from "../../db/queries/tasks.ts";
import { ServiceError } from "../../errors.ts";
import { isCleared, type Sensitivity } from "../../schema/common.ts";
import { refuseTask } from "./states.ts";

/** Every change of dependencies takes this lock, so that two changes at the same time cannot close a cycle together. */
export const DEPENDENCIES_LOCK = "task:dependencies";

/**
 * Checks the dependencies of a task; the caller writes them. They decide whether the task can start, so they are fixed
 * once it has started.
 */
export async function checkDependencies(tx: Tx, task: TaskRow, ids: readonly string[]): Promise<string[]> {
  const dependsOn = [...new Set(ids)].sort();
  if (dependsOn.join() === task.dependsOn.join()) return dependsOn;
  if (task.status === "in_progress") throw refuseTask(task, "change what the task depends on");
  requireDependencies(await queries.findDependencies(tx, dependsOn), ids, task.sensitivity);
  const circular = new Set(await queries.findDependants(tx, task.id, dependsOn));
  if (circular.size > 0) {
    throw new ServiceError("validation_failed", "Cannot store the task: it would depend on itself", {
      errors: ids.flatMap((id, i) =>
        circular.has(id) ? [{ path: `dependsOn.${i}`, message: "would form a cycle" }] : []
      ),
    });
  }
  return dependsOn;
}

/** @throws ServiceError `validation_failed` with the place of each task that cannot be a dependency. */
export function requireDependencies(
  found: readonly queries.DependencyRow[],
  ids: readonly string[],
  sensitivity: Sensitivity,
): void {
  const byId = new Map(found.map((task) => [task.id, task]));
  const errors = ids.flatMap((id, i) => {
    const task = byId.get(id);
    if (task === undefined) return [{ path: `dependsOn.${i}`, message: "is not known" }];
    if (!isCleared(task.sensitivity, sensitivity)) {
      return [{ path: `dependsOn.${i}`, message: "is more sensitive than the task" }];
    }
    return [];
  });
  if (errors.length === 0) return;
  throw new ServiceError(
    "validation_failed",
    "Cannot store the task: dependsOn names tasks on which it cannot depend",
    {
      errors,
    },
  );
}

/** @throws ServiceError `invalid_transition` naming the tasks that have to be completed first. */
export async function requireStartable(tx: Tx, task: TaskRow): Promise<void> {
  if (task.dependsOn.length === 0) return;
  const found = await queries.findDependencies(tx, task.dependsOn);
  const waitingFor = found.filter(({ status }) => status !== "completed").map(({ id }) => id);
  if (waitingFor.length === 0) return;
  throw new ServiceError(
    "invalid_transition",
    `Cannot start the task: it is ${task.status} and depends on tasks that are not completed: ${waitingFor.join(", ")}`,
    { extra: { taskStatus: task.status, legal: [], waitingFor } },
  );
}
