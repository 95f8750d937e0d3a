/** The loop that removes what is kept for a time only, and erases restricted data where its workspace says after how long. */
import type { OperationContext } from "../context.ts";
import { eraseOldRestricted } from "../domain/upkeep/retention.ts";
import { sweepWorkspace as sweep } from "../domain/upkeep/sweeping.ts";

/** Removes what is due in one workspace, a bounded amount; true while there may be more. */
export async function sweepWorkspace(ctx: OperationContext): Promise<boolean> {
  const swept = await sweep(ctx);
  return await eraseOldRestricted(ctx) || swept;
}
