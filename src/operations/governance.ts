/** The operations on the worth of units and on the consolidation gate. */
import * as gates from "../domain/upkeep/consolidation_guard.ts";
import * as snapshots from "../domain/upkeep/snapshots.ts";
import * as worths from "../domain/upkeep/worth_votes.ts";
import {
  Gate,
  ListWorthQuery,
  SetGateBody,
  WorthFeedbackBody,
  WorthFeedbackReply,
  WorthPage,
} from "../schema/governance.ts";
import { DriftQuery, DriftReport } from "../schema/health.ts";
import { operation } from "./operation.ts";

/** Lists units by worth. */
export const listWorth = operation({
  id: "listWorth",
  summary: "List units by worth",
  description:
    "worth = (0.30 trust + 0.20 use + 0.25 feedback + 0.10 corroboration + 0.15 recency) × (1 − 0.5 contestedness), each part between 0 and 1. The half-life of recency is `SVC_WORTH_HALF_LIFE_DAYS`. A new unit has its worth immediately. A worker computes it again after changes, within about an hour after uses, and as time passes. Units that are not in force are left out.",
  scope: "memory:read",
  query: ListWorthQuery,
  reply: WorthPage,
}, (ctx, { query }) => worths.listWorth(ctx, query));

/** Records feedback on units: whether they were useful. */
export const giveWorthFeedback = operation({
  id: "giveWorthFeedback",
  summary: "Give feedback about units",
  description:
    "Each agent has one vote about a unit: its last `helpful` or `harmful`. All agents of one key together weigh at most 1, by the mean of their votes. `used` counts once a day per key and unit. Either all signals are stored or none.",
  scope: "governance:write",
  body: WorthFeedbackBody,
  reply: WorthFeedbackReply,
  example: {
    body: {
      agentId: "assistant-1",
      signals: [{ unitId: "01890000-0000-7000-8000-000000000000", signal: "helpful", weight: 0.5 }],
    },
  },
}, (ctx, { body }) => worths.giveWorthFeedback(ctx, body));

/** Reads the consolidation gate. */
export const getGate = operation({
  id: "getGate",
  summary: "Read the consolidation gate",
  description: "Every condition with its value and threshold, counted over what the key's clearance sees.",
  scope: "memory:read",
  reply: Gate,
}, (ctx) => gates.readGate(ctx));

/** Holds or releases the consolidation gate. */
export const setGate = operation({
  id: "setGate",
  summary: "Hold or release the consolidation gate",
  description:
    "While the gate is held, no consolidation starts, not even a forced one, and a running one pauses at its next step until the release. Every hold and release is recorded with its author and reason.",
  scope: "governance:write",
  body: SetGateBody,
  reply: Gate,
  example: { body: { action: "release", reason: "The import is done." } },
}, (ctx, { body }) => gates.setGate(ctx, body));

/** Measures how far the memory has drifted from its earlier contents. */
export const getDrift = operation({
  id: "getDrift",
  summary: "Compare the memory with a snapshot",
  description:
    "Compares the current composition of the memory with a snapshot, as far as the key's clearance sees, and says in plain words what changed.",
  scope: "memory:read",
  query: DriftQuery,
  reply: DriftReport,
  errors: ["not_found"],
}, (ctx, { query }) => snapshots.readDrift(ctx, query));
