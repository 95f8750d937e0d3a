/** Usage statistics of a workspace. */
import { z } from "zod";
import { Timestamp } from "./common.ts";

const Counts = z.record(z.string(), z.int());

export const UsageStats = z.strictObject({
  at: Timestamp,
  units: z.strictObject({
    total: z.int(),
    inForce: z.int().meta({ description: "Not superseded, retracted, rejected, retired, archived or expired" }),
    pinned: z.int().meta({ description: "In force" }),
    stale: z.int().meta({ description: "In force" }),
    byType: z.record(z.string(), z.strictObject({ total: z.int(), inForce: z.int(), byStatus: Counts })),
    byStatus: Counts,
    byAttribution: Counts,
    bySensitivity: Counts,
  }),
  sessions: z.strictObject({
    total: z.int(),
    byStatus: Counts,
    turns: z.int(),
    tokens: z.int().meta({ description: "Tokens of all turns, as counted when they were written" }),
  }),
  tasks: z.strictObject({ total: z.int(), byStatus: Counts }),
  events: z.strictObject({ total: z.int() }),
  reviews: z.strictObject({ open: z.int(), byKind: Counts.meta({ description: "Open reviews by kind" }) }),
  jobs: z.strictObject({ total: z.int(), byState: Counts }),
  tags: z.array(z.strictObject({ tag: z.string(), units: z.int() })).meta({
    description: "The 20 most frequent tags of units in force",
  }),
  days: z.array(z.strictObject({
    day: z.iso.date(),
    recalls: z.int(),
    recallHits: z.int().meta({ description: "Recalls that returned something" }),
    unitsCreated: z.int(),
    turnsRecorded: z.int(),
  })).meta({ description: "The last 30 days including today, oldest first, in UTC" }),
  storage: z.strictObject({
    bytes: z.int(),
    tables: z.array(z.strictObject({ name: z.string(), rows: z.int(), bytes: z.int() })),
  }).meta({
    description: "Rows are counted. Bytes are estimated from up to 500 rows of each table, without indexes",
  }),
}).meta({
  id: "UsageStats",
  description: "Covers what the key's clearance allows. Recalls are counted for the whole workspace",
});
export type UsageStats = z.infer<typeof UsageStats>;
