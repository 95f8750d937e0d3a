/** The loop that takes snapshots. */
import type { OperationContext } from "../context.ts";
import { takeDueSnapshot } from "../domain/upkeep/snapshots.ts";

/** Takes the workspace's snapshot of the period where it is missing; there is never more to do at once. */
export async function snapshotWorkspace(ctx: OperationContext): Promise<boolean> {
  await takeDueSnapshot(ctx);
  return false;
}
