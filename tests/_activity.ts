/** Checks that the background loops come back soon to a workspace. */
import assert from "node:assert/strict";
import type { OperationContext } from "../src/context.ts";
import { activityOf } from "../src/domain/common/activity.ts";

/**
 * Does one step of a loop in a workspace, and fails unless the step reports that work waits there, or reports nothing.
 */
export async function assertComesBack<T>(
  { deps, workspaceId }: Pick<OperationContext, "deps" | "workspaceId">,
  when: "soon" | "later",
  step: () => Promise<T>,
): Promise<T> {
  const activity = activityOf(deps);
  const waiting = new Set<string>();
  const noteWaiting = activity.noteWaiting;
  activity.noteWaiting = (id) => void waiting.add(id);
  try {
    return await step();
  } finally {
    activity.noteWaiting = noteWaiting;
    assert.equal(waiting.has(workspaceId) ? "soon" : "later", when);
  }
}
