/** The loop that consolidates workspaces which say how often. */
import type { OperationContext } from "../context.ts";
import { consolidateWhenDue } from "../domain/upkeep/schedule.ts";

/** Asks for the workspace's consolidation where it is due and the gate is open; the loop of jobs runs it. */
export async function consolidateOnSchedule(ctx: OperationContext): Promise<boolean> {
  await consolidateWhenDue(ctx);
  return false;
}
