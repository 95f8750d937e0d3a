/** Consolidation, asked for by hand. Interface §4.9, decisions §6 "admin". */
import * as consolidation from "../../../../domain/upkeep/consolidate.ts";
import { ConsolidateBody, Job } from "../../../../schema/job.ts";
import { endpoint } from "../../../endpoint.ts";

/** Asks for a consolidation. */
export const consolidate = endpoint({
  method: "post",
  path: "/memory/admin/consolidate",
  operationId: "consolidate",
  summary: "Consolidate the memory",
  description:
    "Checks the gate and starts a job that closes what has expired, merges facts that say the same (the less trusted " +
    "one is archived, its citations join the other), archives what is worth little and was not touched for long " +
    "(never what is pinned, `user_stated`, `verified` or under review) and makes strategies of at least three " +
    "episodes that went alike. Nothing gains trust. Every step is listed by the job and can be reverted. The job sees " +
    "and changes what the key's clearance sees. Refused with `gate_closed` while the gate is closed, `errors` and " +
    "`conditions` name what fails; with `conflict` while another consolidation waits or runs (`jobId`).",
  scope: "memory:admin",
  body: ConsolidateBody,
  status: 202,
  response: Job,
  errors: ["gate_closed", "conflict"],
  example: { body: { dryRun: true } },
}, (ctx, { body }) => consolidation.consolidate(ctx, body));
