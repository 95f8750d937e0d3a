/** Jobs: work that outlasts its request, such as a consolidation. */
import * as consolidation from "../domain/upkeep/consolidate.ts";
import * as jobs from "../domain/upkeep/jobs.ts";
import * as reverting from "../domain/upkeep/revert.ts";
import { ConsolidateBody, Job, JobPage, JobParams, ListJobsQuery } from "../schema/job.ts";
import { WHOLE } from "./cost.ts";
import { operation } from "./operation.ts";

/** Requests a consolidation. */
export const consolidate = operation({
  id: "consolidate",
  summary: "Consolidate the memory",
  description:
    "Checks the gate and starts a job. The job closes expired facts; merges facts that say the same (the less trusted one is archived, its citations move to the other); archives units of little worth that nobody has touched for long (never pinned, `user_stated` or `verified` ones, nor those under review); and creates strategies from three or more similar episodes. Nothing gains trust. The job lists every step, and each can be reverted. It sees and changes only what the key's clearance sees. It is refused with `gate_closed` while the gate is closed (`errors` and `conditions` name what fails) and with `conflict` while another consolidation waits or runs (`jobId`).",
  scope: "memory:admin",
  cost: WHOLE,
  body: ConsolidateBody,
  status: 202,
  reply: Job,
  errors: ["gate_closed", "conflict"],
  example: { body: { dryRun: true } },
}, (ctx, { body }) => consolidation.consolidate(ctx, body));

/** Lists jobs, the newest first. */
export const listJobs = operation({
  id: "listJobs",
  summary: "List jobs",
  description: "Jobs that were requested with a higher clearance than the key's are left out.",
  scope: "memory:admin",
  changes: false,
  query: ListJobsQuery,
  reply: JobPage,
}, (ctx, { query }) => jobs.listJobs(ctx, query));

/** Reads a job with its steps. */
export const getJob = operation({
  id: "getJob",
  summary: "Read a job with its steps",
  scope: "memory:admin",
  changes: false,
  params: JobParams,
  reply: Job,
}, (ctx, { params }) => jobs.getJob(ctx, params.id));

export const revertJob = operation({
  id: "revertJob",
  summary: "Revert a consolidation",
  description:
    "Starts a job that reverts each step, last step first. A step whose units were changed since is kept and listed as `skip`. Later consolidations do not repeat what was reverted.",
  scope: "memory:admin",
  params: JobParams,
  status: 202,
  reply: Job,
  errors: ["invalid_transition"],
}, (ctx, { params }) => reverting.revertJob(ctx, params.id));
