/** Writes down that knowledge has expired; readers see it as expired before. Drops replies that are kept no longer. */
import type { OperationContext } from "../context.ts";
import { expireDueFacts } from "../domain/facts.ts";
import { forgetOldReplies } from "../domain/idempotency.ts";

/** Expires what is due in one workspace, a bounded number at a time; true while there may be more. */
export async function expireWorkspace(ctx: OperationContext): Promise<boolean> {
  const expired = await expireDueFacts(ctx);
  return await forgetOldReplies(ctx) || expired > 0;
}
