/** The loop that writes how often recall was used. */
import type { OperationContext } from "../context.ts";
import { flushUsage } from "../domain/recall/usage.ts";

/** Writes the workspace's counts; there is never more to do at once. */
export async function countUsage(ctx: OperationContext): Promise<boolean> {
  await flushUsage(ctx);
  return false;
}
