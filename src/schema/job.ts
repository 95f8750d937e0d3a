/** Jobs: work that outlasts its request, and what they did, step by step. */
import { z } from "zod";
import { Id, JsonValue, ListQuery, pageOf, repeated, Sensitivity, Timestamp } from "./common.ts";
import { SyncReport } from "./federation_sync.ts";
import { GateCondition } from "./governance.ts";

export const JOB_KINDS = ["consolidate", "revert", "federation_sync"] as const;
export const JOB_STATES = ["queued", "running", "completed", "failed"] as const;
export const JobState = z.enum(JOB_STATES).meta({ id: "JobState" });

export const JobUnit = z.strictObject({
  id: Id,
  type: z.string(),
  role: z.string().meta({ description: "`kept`, `merged`, `archived`, `expired`, `created`, `restored`" }),
  versionBefore: z.int().nullable().meta({ description: "Null: the step created the unit, or this is a dry run" }),
  versionAfter: z.int().nullable().meta({ description: "Null in a dry run" }),
  statusBefore: z.string().nullable(),
  statusAfter: z.string().nullable(),
}).meta({ id: "JobUnit" });
export type JobUnit = z.infer<typeof JobUnit>;

export const JobStep = z.strictObject({
  step: z.int(),
  kind: z.string().meta({ examples: ["merge", "expire", "archive", "promote", "revert", "skip"] }),
  reason: z.string(),
  units: z.array(JobUnit),
  undo: z.string().nullable().meta({ description: "How to undo the step by hand; null: nothing was changed" }),
  doneAt: Timestamp,
  revertedBy: Id.nullable().meta({ description: "The job that reverted this one" }),
}).meta({ id: "JobStep" });
export type JobStep = z.infer<typeof JobStep>;

export const JobReport = z.strictObject({
  steps: z.record(z.string(), z.int()).meta({ description: "How many steps of each kind" }),
  suggestions: z.array(z.strictObject({ factId: Id, otherId: Id, score: z.number() })).optional().meta({
    description: "Similar facts that a person may want to merge; at most 100",
  }),
  limited: z.array(z.string()).optional().meta({
    description: "Kinds of steps that reached their limit. Run the job again to continue",
  }),
  sync: SyncReport.optional(),
  throughDocNo: z.int().optional().meta({ description: "How many facts were compared with others" }),
}).meta({ id: "JobReport", description: "What a completed job did" });
export type JobReport = z.infer<typeof JobReport>;

const jobShape = {
  id: Id,
  kind: z.string().meta({ examples: [...JOB_KINDS] }),
  state: JobState,
  sensitivity: Sensitivity.meta({
    description: "The clearance of the caller; the job sees and changes nothing above it",
  }),
  input: z.record(z.string(), JsonValue),
  gate: z.array(GateCondition).nullable().meta({ description: "The gate at the time of the request" }),
  progress: z.strictObject({ phase: z.string().nullable(), steps: z.int() }),
  report: JobReport.nullable(),
  failure: z.string().nullable(),
  attempts: z.int().meta({ description: "How often a process started the job; more than 1: a process died" }),
  requestedBy: z.string(),
  createdAt: Timestamp,
  startedAt: Timestamp.nullable(),
  finishedAt: Timestamp.nullable(),
  updatedAt: Timestamp,
};

export const JobSummary = z.strictObject(jobShape).meta({ id: "JobSummary" });
export type JobSummary = z.infer<typeof JobSummary>;
export const JobPage = pageOf(JobSummary).meta({ id: "JobPage" });
export const Job = z.strictObject({ ...jobShape, steps: z.array(JobStep) }).meta({
  id: "Job",
  description: "A job, step by step",
});
export type Job = z.infer<typeof Job>;

export const JobParams = z.strictObject({ id: Id });

export const ListJobsQuery = ListQuery.extend({
  kind: repeated(z.enum(JOB_KINDS), JOB_KINDS.length).optional(),
  state: repeated(JobState, JOB_STATES.length).optional().meta({ description: "May be repeated. Default: all" }),
});
export type ListJobsQuery = z.infer<typeof ListJobsQuery>;

export const ConsolidateBody = z.strictObject({
  dryRun: z.boolean().default(false).meta({
    description: "Lists what would be done and changes nothing. It runs even if the gate is closed",
  }),
  force: z.boolean().default(false).meta({
    description: "Runs although the gate is closed, unless somebody holds it closed",
  }),
}).meta({ id: "ConsolidateBody" });
export type ConsolidateBody = z.infer<typeof ConsolidateBody>;
