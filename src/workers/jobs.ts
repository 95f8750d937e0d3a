/** The loop that runs jobs. */
import type { OperationContext } from "../context.ts";
import { runJobs } from "../domain/upkeep/job_works.ts";

/** Runs the workspace's next job; true when there may be another. */
export function runWorkspaceJobs(ctx: OperationContext): Promise<boolean> {
  return runJobs(ctx);
}
