/** Governance: what units are worth, and whether the memory may be consolidated. */
import { z } from "zod";
import { AgentId, Id, ListQuery, pageOf, repeated, Share, SHARE_LEAST, ShareParameter, Timestamp } from "./common.ts";
import { UNIT_TYPES, UnitType } from "./unit.ts";

export const WorthParts = z.strictObject({
  trust: Share.meta({ description: "`trustScore` / 100" }),
  use: Share.meta({
    description:
      "uses / (uses + 5). Being returned by recall counts 1, the signal `used` counts 3, at most once a day per key",
  }),
  feedback: Share.meta({
    description:
      "(1 + helpful) / (2 + helpful + harmful), over the weights of votes. All agents of a key together weigh at most 1, and so do the successes and failures of a skill or strategy",
  }),
  corroboration: Share.meta({ description: "n / (n + 2), where n is how often the same was stated again" }),
  recency: Share.meta({ description: "2^(−days / half-life), in days since it was last written or used" }),
  contestedness: Share.meta({ description: "1 while contested, 0.5 while stale" }),
}).meta({ id: "WorthParts" });
export type WorthParts = z.infer<typeof WorthParts>;

export const WorthItem = z.strictObject({
  id: Id,
  type: UnitType,
  status: z.string(),
  pinned: z.boolean(),
  worth: Share,
  parts: WorthParts,
  computedAt: Timestamp,
}).meta({ id: "WorthItem" });
export type WorthItem = z.infer<typeof WorthItem>;

export const WorthDistribution = z.strictObject({
  units: z.int(),
  mean: Share.nullable(),
  deciles: z.array(Share).length(9).nullable().meta({
    description: "The 10 %, 20 %, … 90 % quantiles; null without units",
  }),
  histogram: z.array(z.strictObject({ from: Share, to: Share, units: z.int() })).length(10).meta({
    description: "Buckets of one tenth; the last one includes 1",
  }),
}).meta({
  id: "WorthDistribution",
  description: "Over all units in force of the requested types; only on the first page, null on others",
});
export type WorthDistribution = z.infer<typeof WorthDistribution>;

export const WorthPage = pageOf(WorthItem).extend({
  distribution: WorthDistribution.nullable(),
}).meta({ id: "WorthPage" });
export type WorthPage = z.infer<typeof WorthPage>;

export const ListWorthQuery = ListQuery.extend({
  order: z.enum(["asc", "desc"]).default("desc").meta({ description: "Order by worth" }),
  type: repeated(UnitType, UNIT_TYPES.length).optional().meta({ description: "May be repeated. Default: all" }),
  min: ShareParameter.optional().meta({ description: "At least this worth" }),
  max: ShareParameter.optional().meta({ description: "At most this worth" }),
}).refine(({ min, max }) => min === undefined || max === undefined || min <= max, {
  message: "must not be below min",
  path: ["max"],
});
export type ListWorthQuery = z.infer<typeof ListWorthQuery>;

export const SIGNALS_MAX = 500;
const Signal = z.strictObject({
  unitId: Id,
  signal: z.enum(["helpful", "harmful", "used"]).meta({
    description:
      "`helpful` and `harmful` are the agent's vote about the unit, of which it has one; `used` counts as three uses",
  }),
  weight: z.number().gt(0).max(1).overwrite((weight) => Math.max(weight, SHARE_LEAST)).optional().meta({
    description: "Weight of a vote; default 1",
  }),
}).refine((signal) => signal.signal !== "used" || signal.weight === undefined, {
  message: "belongs to a vote",
  path: ["weight"],
}).meta({ id: "WorthSignal" });

export const WorthFeedbackBody = z.strictObject({
  agentId: AgentId.optional().meta({ description: "The agent that votes. Default: the key itself" }),
  signals: z.array(Signal).min(1).max(SIGNALS_MAX),
}).superRefine(({ signals }, issues) => {
  const seen = new Set<string>();
  for (const [i, { unitId, signal }] of signals.entries()) {
    const name = `${unitId} ${signal === "used" ? "use" : "vote"}`;
    if (seen.has(name)) {
      const message = "says something about this unit a second time";
      issues.addIssue({ code: "custom", path: ["signals", i], message });
    }
    seen.add(name);
  }
}).meta({ id: "WorthFeedbackBody" });
export type WorthFeedbackBody = z.infer<typeof WorthFeedbackBody>;

export const WorthFeedbackReply = z.strictObject({
  agentId: z.string(),
  data: z.array(z.strictObject({
    unitId: Id,
    worth: Share,
    worthBefore: Share,
    parts: WorthParts,
    helpful: z.number().meta({
      description: "Total weight of the votes; all agents of one key weigh at most 1 together",
    }),
    harmful: z.number(),
  })),
}).meta({ id: "WorthFeedbackReply", description: "The worth of the unit after the feedback" });
export type WorthFeedbackReply = z.infer<typeof WorthFeedbackReply>;

export const GATE_CONDITIONS = ["new_facts", "contested", "drift", "quiet_period", "manual_hold"] as const;
export const GateCondition = z.strictObject({
  name: z.enum(GATE_CONDITIONS),
  passed: z.boolean(),
  value: z.union([z.number(), z.boolean()]).nullable().meta({
    description: "Null: not known; the condition then passes",
  }),
  threshold: z.union([z.number(), z.boolean()]),
  comparison: z.enum(["at_least", "at_most", "equals"]).meta({
    description: "How the value must compare with the threshold",
  }),
  message: z.string(),
}).meta({
  id: "GateCondition",
  description:
    "`new_facts`: facts stored since the last consolidation began. `contested`: open reviews of contested facts. `drift`: the drift index of the latest snapshot against the one a day earlier. `quiet_period`: seconds since the last write of knowledge. `manual_hold`: whether somebody holds the gate closed",
});
export type GateCondition = z.infer<typeof GateCondition>;

const GateReason = z.string().min(1).max(1_000);
export const GateAction = z.strictObject({
  id: Id,
  action: z.enum(["hold", "release"]),
  reason: z.string(),
  by: z.string(),
  at: Timestamp,
}).meta({ id: "GateAction" });
export type GateAction = z.infer<typeof GateAction>;

export const Gate = z.strictObject({
  state: z.enum(["open", "closed"]).meta({ description: "`open` when every condition passes" }),
  conditions: z.array(GateCondition),
  lastRun: z.strictObject({ jobId: Id, startedAt: Timestamp, finishedAt: Timestamp }).nullable().meta({
    description: "The last completed consolidation that the key's clearance allows it to see",
  }),
  history: z.array(GateAction).meta({ description: "The last holds and releases, newest first, at most 20" }),
}).meta({ id: "Gate", description: "The gate of consolidation and its conditions" });
export type Gate = z.infer<typeof Gate>;

export const SetGateBody = z.strictObject({
  action: z.enum(["hold", "release"]),
  reason: GateReason,
}).meta({ id: "SetGateBody" });
export type SetGateBody = z.infer<typeof SetGateBody>;
