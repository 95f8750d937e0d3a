/** The kinds of jobs and their work. A further kind is one more line. */
import type { OperationContext } from "../../context.ts";
import type { StepEnd } from "../common/activity.ts";
import type { JobWork } from "./running_job.ts";
import { runNextJob } from "./jobs.ts";
import { runConsolidation } from "./consolidate.ts";
import { runRevert } from "./revert.ts";

const WORKS: Readonly<Record<string, JobWork>> = { consolidate: runConsolidation, revert: runRevert };

/** Runs the workspace's next job to its end; true when it ran one. */
export function runJobs(ctx: OperationContext): Promise<StepEnd> {
  return runNextJob(ctx, WORKS);
}
