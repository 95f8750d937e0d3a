/** Gives out checkpoints of the audit log. */
import type { OperationContext } from "../context.ts";
import { makeCheckpoint } from "../domain/audit/checkpoints.ts";

/** Makes a checkpoint where the log has grown; there is never more to do at once. */
export async function checkpointWorkspace(ctx: OperationContext): Promise<boolean> {
  await makeCheckpoint(ctx);
  return false;
}
