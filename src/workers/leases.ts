/** Takes tasks back whose lease has run out; readers see them as pending before. */
import type { OperationContext } from "../context.ts";
import { releaseLapsedTasks } from "../domain/tasks/tasks.ts";

/** Releases what has lapsed in one workspace, a bounded number at a time; true while there may be more. */
export async function releaseLeases(ctx: OperationContext): Promise<boolean> {
  return await releaseLapsedTasks(ctx) > 0;
}
