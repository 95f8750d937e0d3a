/** The loop that keeps the worth of units up to date. */
import type { OperationContext } from "../context.ts";
import { revalueDue } from "../domain/upkeep/worth_votes.ts";

/** Computes what is due in one workspace, a bounded amount at a time; true while there may be more. */
export function revalueWorkspace(ctx: OperationContext): Promise<boolean> {
  return revalueDue(ctx);
}
