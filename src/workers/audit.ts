/** Gives out checkpoints of the audit log, and forgets callers' addresses where the workspace says after how long. */
import type { OperationContext } from "../context.ts";
import { forgetOldAddresses, makeCheckpoint } from "../domain/audit/checkpoints.ts";

/** Makes a checkpoint where the log has grown. */
export async function checkpointWorkspace(ctx: OperationContext): Promise<boolean> {
  await makeCheckpoint(ctx);
  return await forgetOldAddresses(ctx);
}
