/** Whether the background loops come back soon to a workspace. */
import assert from "node:assert/strict";
import type { OperationContext } from "../src/context.ts";
import { activityOf } from "../src/domain/common/activity.ts";

/** Does one step of a loop in a workspace, and fails unless the loop comes back there after its rest or later, as told. */
export async function assertComesBack<T>(
  { deps, workspaceId }: Pick<OperationContext, "deps" | "workspaceId">,
  when: "soon" | "later",
  step: () => Promise<T>,
): Promise<T> {
  const activity = activityOf(deps).of(workspaceId);
  const result = await step();
  assert.equal(activityOf(deps).of(workspaceId) > activity ? "soon" : "later", when);
  return result;
}
