/** Writes down that knowledge has expired; readers see it as expired before. */
import type { OperationContext } from "../context.ts";
import { expireDueFacts } from "../domain/kinds/facts/mod.ts";

/** Expires what is due in one workspace, a bounded number at a time; true while there may be more. */
export async function expireWorkspace(ctx: OperationContext): Promise<boolean> {
  return await expireDueFacts(ctx) > 0;
}
