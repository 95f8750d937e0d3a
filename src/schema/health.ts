/** The vitals of a workspace. Interface §2.2 "Per-workspace health snapshot". */
import { z } from "zod";
import { Timestamp } from "./common.ts";

export const HealthSnapshot = z.strictObject({
  liveFacts: z.int().meta({ description: "Facts that are active or contested" }),
  pinned: z.int().meta({ description: "Pinned units and turns" }),
  turns: z.int(),
  sessions: z.int(),
  embeddedRatio: z.number().min(0).max(1).meta({
    description: "Share of indexed texts that have an embedding; 1 if none",
  }),
  embeddingBacklog: z.int().meta({ description: "Texts that wait for their embedding" }),
  recallHitRate: z.number().min(0).max(1).nullable().meta({
    description: "Share of recalls in the last 7 days that returned something; null without recalls",
  }),
  lastWriteAt: Timestamp.nullable(),
  changeSeq: z.int().meta({ description: "Length of the workspace's change feed" }),
}).meta({ id: "HealthSnapshot" });
export type HealthSnapshot = z.infer<typeof HealthSnapshot>;
