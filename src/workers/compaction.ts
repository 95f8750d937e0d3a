/** The loop that joins the pieces which writes leave in the index. */
import type { OperationContext } from "../context.ts";
import { compactPostings } from "../domain/recall/maintenance.ts";

/** Does one stretch of the workspace's compaction; answers whether there is more. */
export function compactWorkspace(ctx: OperationContext): Promise<boolean> {
  return compactPostings(ctx);
}
