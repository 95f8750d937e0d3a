/** The vitals of a workspace. */
import { z } from "zod";
import { EndInput, Id, isSpan, ListQuery, NO_SPAN, pageOf, Timestamp, TimestampInput } from "./common.ts";

export const HealthSnapshot = z.strictObject({
  liveFacts: z.int().meta({ description: "Facts that are active or contested" }),
  pinned: z.int().meta({ description: "Pinned units and turns" }),
  turns: z.int(),
  sessions: z.int(),
  embeddedRatio: z.number().min(0).max(1).meta({
    description: "Share of indexed texts that have an embedding; 1 without texts",
  }),
  embeddingBacklog: z.int().meta({ description: "Texts without an embedding yet" }),
  recallHitRate: z.number().min(0).max(1).nullable().meta({
    description: "Share of recalls in the last 7 days that returned something; null without recalls",
  }),
  recalls: z.int().meta({ description: "Recalls in the last 7 days; the last seconds may be missing" }),
  backlog: z.strictObject({
    embedding: z.int().meta({ description: "Texts without an embedding yet" }),
    links: z.int().meta({
      description: "Facts and turns of users from an earlier build whose links to newer ones are still to be made",
    }),
    worth: z.int().meta({ description: "Units whose worth has to be computed again" }),
    changes: z.int().meta({ description: "Changes that the worth of units does not reflect yet" }),
    jobs: z.int().meta({ description: "Jobs that wait or run" }),
    openReviews: z.int().meta({ description: "Reviews that wait for a person" }),
  }),
  lastWriteAt: Timestamp.nullable(),
  changeSeq: z.int().meta({ description: "Length of the workspace's change feed" }),
}).meta({ id: "HealthSnapshot", description: "The health of the memory" });
export type HealthSnapshot = z.infer<typeof HealthSnapshot>;

const DriftVerdict = z.enum(["stable", "shifting", "drifted", "unknown"]).meta({
  id: "DriftVerdict",
  description: "`unknown`: there is too little data, or no snapshot to compare with",
});
const DriftMeasureName = z.enum(["type", "status", "attribution", "worth", "vocabulary", "embedding"]);
const driftShape = {
  verdict: DriftVerdict.meta({
    description: "The state of the measure that changed most; `unknown`: nothing was measured",
  }),
  index: z.number().min(0).nullable().meta({
    description:
      "The largest ratio of a measure to its `driftedFrom`, times 0.25. The gate closes when it is too high. Null: nothing was measured",
  }),
  newTermRate: z.number().min(0).max(1).nullable().meta({
    description: "Share of the terms of the latest units that the baseline's units did not have",
  }),
  baseline: z.strictObject({ snapshotId: Id, takenAt: Timestamp }).nullable().meta({
    description: "The snapshot used for comparison; null: there was none",
  }),
};
const driftMeasureShape = {
  name: DriftMeasureName,
  value: z.number().min(0).nullable().meta({ description: "Null: too little data" }),
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
  recalls: z.int().meta({ description: "In the seven days before the snapshot" }),
  recallHitRate: z.number().min(0).max(1).nullable(),
  lastWriteAt: Timestamp.nullable(),
  drift: z.strictObject({ ...driftShape, measures: z.array(z.strictObject(driftMeasureShape)) }).meta({
    id: "HealthMomentDrift",
    description: "The drift from the snapshot that was then a day old",
  }),
}).meta({ id: "HealthMoment" });
export type HealthMoment = z.infer<typeof HealthMoment>;
export const HealthHistoryPage = pageOf(HealthMoment).meta({ id: "HealthHistoryPage" });

export const ListHealthHistoryQuery = ListQuery.extend({
  from: TimestampInput.optional().meta({ description: "Snapshots taken then or later" }),
  to: EndInput.optional().meta({ description: "Snapshots taken before then" }),
}).refine(isSpan, NO_SPAN);
export type ListHealthHistoryQuery = z.infer<typeof ListHealthHistoryQuery>;

export const DriftQuery = z.strictObject({
  baseline: z.union([Id, TimestampInput]).optional().meta({
    description:
      "The snapshot to compare with: its id, or a time, which selects the newest one at that time. Default: the newest that is a day old, otherwise the oldest",
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
}).meta({ id: "DriftReport", description: "How the memory has moved from the baseline" });
export type DriftReport = z.infer<typeof DriftReport>;
