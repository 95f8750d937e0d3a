/** Sync jobs: exchanges with a peer that a caller starts and looks up. */
import { z } from "zod";
import { Id } from "./common.ts";
import { ConflictResolution, InstanceId } from "./federation_peer.ts";

export const SyncBody = z.strictObject({
  peer: InstanceId,
  conflictResolution: ConflictResolution.optional().meta({
    description:
      "How contradictions in the items that this job pulls are settled. Default: the strategy of the peer's entry; any other one needs the scope `memory:admin`",
  }),
  mode: z.enum(["pull", "push", "both"]).default("both"),
  reconcile: z.boolean().default(false).meta({
    description: "Whether the job compares both sides item by item and repairs what differs",
  }),
}).meta({ id: "SyncBody" });
export type SyncBody = z.infer<typeof SyncBody>;

export const SyncStarted = z.strictObject({ jobId: Id, status: z.literal("processing") }).meta({
  id: "SyncStarted",
  description: "The job that exchanges items with the peer",
});
export type SyncStarted = z.infer<typeof SyncStarted>;

export const SyncStatus = z.enum(["processing", "completed", "failed", "partial"]);

/** The result of an exchange with a peer. */
export const SyncReport = z.strictObject({
  peer: InstanceId,
  received: z.int().min(0),
  sent: z.int().min(0),
  conflicts: z.int().min(0).meta({ description: "Items that a person has to settle" }),
  rejected: z.array(z.strictObject({ code: z.string(), count: z.int().min(1) })).meta({
    description: "How many items were not accepted, by reason",
  }),
  durationMs: z.int().min(0),
  reconciled: z.strictObject({
    equal: z.boolean(),
    differences: z.int().min(0).meta({ description: "Items that differed before the repair" }),
    left: z.array(z.string()).meta({ description: "Some of the items that still differ" }),
  }).meta({ id: "SyncReconciled", description: "What a comparison of both sides found; null: there was none" })
    .nullable(),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable().meta({
    description: "Why it stopped early; null when it finished",
  }),
}).meta({ id: "SyncReport", description: "What an exchange with a peer came to" });
export type SyncReport = z.infer<typeof SyncReport>;

export const SyncJob = z.strictObject({
  jobId: Id,
  status: SyncStatus.meta({
    description:
      "`partial`: some items were not accepted, or the time was not enough. `failed`: it stopped early; what it had done stays",
  }),
  ...SyncReport.shape,
  itemsSynced: z.int().min(0).meta({ description: "The sum of `received` and `sent`" }),
}).meta({ id: "SyncJob", description: "The exchange with a peer, and how far it is" });
export type SyncJob = z.infer<typeof SyncJob>;

export const SyncJobParams = z.strictObject({ jobId: Id });
