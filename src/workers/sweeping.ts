/** The loop that removes what is kept for a time only. */
import type { OperationContext } from "../context.ts";
import { sweepWorkspace as sweep } from "../domain/sweeping.ts";

/** Removes what is due in one workspace, a bounded amount; true while there may be more. */
export function sweepWorkspace(ctx: OperationContext): Promise<boolean> {
  return sweep(ctx);
}
