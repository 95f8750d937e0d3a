/** Jobs: work that outlasts its request, such as a consolidation. */
import * as consolidation from "../domain/upkeep/consolidate.ts";
import * as jobs from "../domain/upkeep/jobs.ts";
import * as reverting from "../domain/upkeep/revert.ts";
import { ConsolidateBody, Job, JobPage, JobParams, ListJobsQuery } from "../schema/job.ts";
import { WHOLE } from "./cost.ts";
import { operation } from "./operation.ts";

/** Asks for a consolidation. */
export const consolidate = operation({
  id: "consolidate",
  summary: "Consolidate the memory",
  description:
    "Checks the gate and starts a job that closes what has expired, merges facts that say the same (the less trusted " +
    "one is archived, its citations join the other), archives what is worth little and was not touched for long " +
    "(never what is pinned, `user_stated`, `verified` or under review) and makes strategies of at least three " +
    "episodes that went alike. Nothing gains trust. Every step is listed by the job and can be reverted. The job sees " +
    "and changes what the key's clearance sees. Refused with `gate_closed` while the gate is closed, `errors` and " +
    "`conditions` name what fails; with `conflict` while another consolidation waits or runs (`jobId`).",
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
  description: "Jobs that were asked for with a higher clearance than the key's are left out.",
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

/** Takes back what a job did. */
export const revertJob = operation({
  id: "revertJob",
  summary: "Take back what a consolidation did",
  description:
    "Starts a job that takes back each step, the last one first. A step whose units were changed since stays and is " +
    "listed as `skip`. What was taken back is left alone by later consolidations.",
  scope: "memory:admin",
  params: JobParams,
  status: 202,
  reply: Job,
  errors: ["invalid_transition"],
}, (ctx, { params }) => reverting.revertJob(ctx, params.id));
