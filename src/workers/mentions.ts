/** The loop that opens entities which turns have named often enough, and links older texts to names that are new. */
import type { OperationContext } from "../context.ts";
import { openSeen, relinkChanged } from "../domain/kinds/entities/mention_work.ts";

/** Does a step of both; answers whether there is more. */
export async function linkWorkspace(ctx: OperationContext): Promise<boolean> {
  const opened = await openSeen(ctx);
  return await relinkChanged(ctx) || opened;
}
