/** Goes on with truth maintenance that was too much for the transaction that caused it. */
import type { OperationContext } from "../context.ts";
import { continuePasses } from "../domain/unit/standing.ts";

/** Does a bounded number of steps in one workspace; true while there may be more. */
export async function maintainTruth(ctx: OperationContext): Promise<boolean> {
  return await continuePasses(ctx);
}
