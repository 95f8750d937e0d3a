/** Jobs of exchange with a peer, as callers ask for them and see them. */
import { z } from "zod";
import { Id } from "./common.ts";
import { ConflictResolution, InstanceId } from "./federation_peer.ts";

export const SyncBody = z.strictObject({
  peer: InstanceId,
  conflictResolution: ConflictResolution.optional().meta({
    description:
      "What becomes of contradictions in what this job pulls. Default: as the peer's entry says; another one needs `memory:admin`",
  }),
  mode: z.enum(["pull", "push", "both"]).default("both"),
  reconcile: z.boolean().default(false).meta({
    description: "Whether both sides are compared item by item and what differs is repaired",
  }),
}).meta({ id: "SyncBody" });
export type SyncBody = z.infer<typeof SyncBody>;

export const SyncStarted = z.strictObject({ jobId: Id, status: z.literal("processing") }).meta({ id: "SyncStarted" });
export type SyncStarted = z.infer<typeof SyncStarted>;

export const SyncStatus = z.enum(["processing", "completed", "failed", "partial"]);

/** What an exchange came to. */
export const SyncReport = z.strictObject({
  peer: InstanceId,
  received: z.int().min(0),
  sent: z.int().min(0),
  conflicts: z.int().min(0).meta({ description: "Items that a person has to settle" }),
  rejected: z.array(z.strictObject({ code: z.string(), count: z.int().min(1) })).meta({
    description: "Items that were not taken, and why",
  }),
  durationMs: z.int().min(0),
  reconciled: z.strictObject({
    equal: z.boolean(),
    differences: z.int().min(0).meta({ description: "Items that differed before the repair" }),
    left: z.array(z.string()).meta({ description: "Some of the items that still differ" }),
  }).nullable().meta({ description: "Null: both sides were not compared" }),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable().meta({
    description: "Why it ended before its end",
  }),
}).meta({ id: "SyncReport" });
export type SyncReport = z.infer<typeof SyncReport>;

export const SyncJob = z.strictObject({
  jobId: Id,
  status: SyncStatus.meta({
    description:
      "`partial`: it came to its end, and some items were not taken. `failed`: what was done until then stays",
  }),
  ...SyncReport.shape,
  itemsSynced: z.int().min(0).meta({ description: "`received` and `sent` together" }),
}).meta({ id: "SyncJob" });
export type SyncJob = z.infer<typeof SyncJob>;

export const SyncJobParams = z.strictObject({ jobId: Id });
