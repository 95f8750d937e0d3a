/** The vitals of a workspace. */
import { z } from "zod";
import { Id, isSpan, ListQuery, NO_SPAN, pageOf, Timestamp, TimestampInput } from "./common.ts";

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
  recalls: z.int().meta({ description: "Recalls in the last 7 days, as far as they are written down" }),
  backlog: z.strictObject({
    embedding: z.int().meta({ description: "Texts that wait for their embedding" }),
    worth: z.int().meta({ description: "Units whose worth is due" }),
    changes: z.int().meta({ description: "Changes that the worth of units does not take into account yet" }),
    jobs: z.int().meta({ description: "Jobs that wait or run" }),
    openReviews: z.int().meta({ description: "Reviews that wait for a person" }),
  }),
  lastWriteAt: Timestamp.nullable(),
  changeSeq: z.int().meta({ description: "Length of the workspace's change feed" }),
}).meta({ id: "HealthSnapshot" });
export type HealthSnapshot = z.infer<typeof HealthSnapshot>;

const DriftVerdict = z.enum(["stable", "shifting", "drifted", "unknown"]).meta({
  id: "DriftVerdict",
  description: "`unknown`: there is too little to measure, or no snapshot to compare with",
});
const DriftMeasureName = z.enum(["type", "status", "attribution", "worth", "vocabulary", "embedding"]);
const driftShape = {
  verdict: DriftVerdict.meta({ description: "That of the measure that moved most; `unknown`: nothing was measured" }),
  index: z.number().min(0).nullable().meta({
    description:
      "The largest measure in parts of its `driftedFrom`, times 0.25; the gate closes on it. Null: nothing " +
      "was measured",
  }),
  newTermRate: z.number().min(0).max(1).nullable().meta({
    description: "Share of the latest units' terms that those of the baseline did not have",
  }),
  baseline: z.strictObject({ snapshotId: Id, takenAt: Timestamp }).nullable().meta({
    description: "The snapshot that was compared with; null: there was none",
  }),
};
const driftMeasureShape = {
  name: DriftMeasureName,
  value: z.number().min(0).nullable().meta({ description: "Null: too little to measure" }),
  verdict: DriftVerdict,
};

/** The health of a workspace when a snapshot was taken. */
export const HealthMoment = z.strictObject({
  snapshotId: Id,
  takenAt: Timestamp,
  liveFacts: z.int(),
  units: z.int().meta({ description: "Units of all types in force" }),
  pinned: z.int(),
  turns: z.int(),
  sessions: z.int(),
  embeddedRatio: z.number().min(0).max(1),
  embeddingBacklog: z.int(),
  openReviews: z.int(),
  recalls: z.int().meta({ description: "In the seven days before" }),
  recallHitRate: z.number().min(0).max(1).nullable(),
  lastWriteAt: Timestamp.nullable(),
  drift: z.strictObject({ ...driftShape, measures: z.array(z.strictObject(driftMeasureShape)) }).meta({
    id: "HealthMomentDrift",
    description: "How far the memory had moved from the newest snapshot that was then a day old",
  }),
}).meta({ id: "HealthMoment" });
export type HealthMoment = z.infer<typeof HealthMoment>;
export const HealthHistoryPage = pageOf(HealthMoment).meta({ id: "HealthHistoryPage" });

export const ListHealthHistoryQuery = ListQuery.extend({
  from: TimestampInput.optional().meta({ description: "Taken then or later" }),
  to: TimestampInput.optional().meta({ description: "Taken before then" }),
}).refine(isSpan, NO_SPAN);
export type ListHealthHistoryQuery = z.infer<typeof ListHealthHistoryQuery>;

export const DriftQuery = z.strictObject({
  baseline: z.union([Id, TimestampInput]).optional().meta({
    description: "The snapshot to compare with: its id, or a time, for the newest taken by then. Default: the newest " +
      "of a day ago, failing that the oldest",
  }),
});
export type DriftQuery = z.infer<typeof DriftQuery>;

export const DriftReport = z.strictObject({
  ...driftShape,
  measures: z.array(z.strictObject({
    ...driftMeasureShape,
    shiftingFrom: z.number(),
    driftedFrom: z.number(),
  })).meta({
    description: "Population stability index of types, states, attributions and worth (less what chance makes of so " +
      "few units); Jensen-Shannon divergence of the terms of the latest 1,000 units in force; cosine distance of the " +
      "centroids of the embeddings of the latest 1,000 texts that were in force then and are now, without what was erased since",
  }),
  reasons: z.array(z.string()),
  at: Timestamp,
}).meta({ id: "DriftReport" });
export type DriftReport = z.infer<typeof DriftReport>;
