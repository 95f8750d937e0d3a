/** Decides who may see tasks and events: their changes, their places in timelines, and their number. */
import type { OperationContext } from "../../context.ts";
import { ServiceError } from "../../errors.ts";
import { TASK_RESOURCES } from "../../schema/change.ts";
import type { Scope } from "../../schema/scopes.ts";

/** A key without this scope is shown nothing of tasks and events. */
export const TASK_SCOPE: Scope = "tasks:read";
/** The types of the resources that need the scope: `task` and `event`. */
export const TASK_TYPES: readonly string[] = Object.keys(TASK_RESOURCES);

/** Whether the caller may see tasks and events. */
export function seesTasks({ scopes }: Pick<OperationContext, "scopes">): boolean {
  return scopes.has(TASK_SCOPE);
}

/** Returns the error for a caller who asks for tasks or events alone and may not see them. */
export function missingTaskScope(): ServiceError {
  return new ServiceError("insufficient_scope", `Cannot show tasks and events: the key lacks the scope ${TASK_SCOPE}`);
}
