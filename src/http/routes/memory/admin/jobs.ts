/** Jobs: work that outlasts its request. Decisions §6 "admin". */
import * as reverting from "../../../../domain/upkeep/revert.ts";
import * as jobs from "../../../../domain/upkeep/jobs.ts";
import { Job, JobPage, JobParams, ListJobsQuery } from "../../../../schema/job.ts";
import { endpoint } from "../../../endpoint.ts";

/** Lists jobs, the newest first. */
export const listJobs = endpoint({
  method: "get",
  path: "/memory/admin/jobs",
  operationId: "listJobs",
  summary: "List jobs",
  description: "Jobs that were asked for with a higher clearance than the key's are left out.",
  scope: "memory:admin",
  query: ListJobsQuery,
  response: JobPage,
}, (ctx, { query }) => jobs.listJobs(ctx, query));

/** Reads a job with its steps. */
export const getJob = endpoint({
  method: "get",
  path: "/memory/admin/jobs/{id}",
  operationId: "getJob",
  summary: "Read a job with its steps",
  scope: "memory:admin",
  params: JobParams,
  response: Job,
}, (ctx, { params }) => jobs.getJob(ctx, params.id));

/** Takes back what a job did. */
export const revertJob = endpoint({
  method: "post",
  path: "/memory/admin/jobs/{id}/revert",
  operationId: "revertJob",
  summary: "Take back what a consolidation did",
  description:
    "Starts a job that takes back each step, the last one first. A step whose units were changed since stays and is " +
    "listed as `skip`. What was taken back is left alone by later consolidations.",
  scope: "memory:admin",
  params: JobParams,
  status: 202,
  response: Job,
  errors: ["invalid_transition"],
}, (ctx, { params }) => reverting.revertJob(ctx, params.id));
