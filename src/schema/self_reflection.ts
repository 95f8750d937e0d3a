/** Reflection: what a memory finds when it looks over itself. */
import { z } from "zod";
import { AgentId, EndInput, Id, Share, TimestampInput } from "./common.ts";
import { SELF_OPERATIONS_MAX, SelfEdit, SelfEditOperation } from "./self_edit.ts";

export const REFLECTION_KINDS = [
  "contradiction",
  "near_duplicate",
  "stale",
  "low_worth",
  "expiring",
  "unanswered_question",
  "review_due",
] as const;
export const ReflectionKind = z.enum(REFLECTION_KINDS).meta({
  id: "ReflectionKind",
  description:
    "`contradiction`: facts in force that cannot both be true. `near_duplicate`: facts that say nearly the same. `stale`: a unit that rests on something no longer in force. `low_worth`: worth at most 0.2. `expiring`: a fact that expires within 72 hours. `unanswered_question`: a question in a session that nobody answered. `review_due`: a decision whose `reviewAt` has passed",
});
export type ReflectionKind = z.infer<typeof ReflectionKind>;

export const LAST_HOURS_DEFAULT = 168;

export const ReflectBody = z.strictObject({
  window: z.strictObject({ from: TimestampInput, to: EndInput.optional() })
    .refine(({ from, to }) => to === undefined || Date.parse(from) < Date.parse(to), {
      message: "must be after from",
      path: ["to"],
    }).optional().meta({ description: "Units written and turns added in this time; `to` defaults to now" }),
  lastHours: z.int().min(1).max(87_600).optional().meta({
    description: `Used instead of a window. Default: ${LAST_HOURS_DEFAULT}, a week`,
  }),
  focus: z.array(ReflectionKind).min(1).max(REFLECTION_KINDS.length).optional().meta({ description: "Default: all" }),
  limit: z.int().min(1).max(SELF_OPERATIONS_MAX).default(20).meta({ description: "The most findings" }),
  apply: z.boolean().default(false).meta({
    description: "Applies the proposed operations as an edit in the mode `per_item`, with the rights of an edit",
  }),
  minConfidence: Share.default(0.5).meta({
    description: "Findings with less confidence are proposed but not applied",
  }),
  agentId: AgentId.optional().meta({ description: "Kept with the edit, if one is applied" }),
}).refine(({ window, lastHours }) => window === undefined || lastHours === undefined, {
  message: "must not be given with window",
  path: ["lastHours"],
}).meta({ id: "ReflectBody" });
export type ReflectBody = z.infer<typeof ReflectBody>;

export const ReflectionFinding = z.strictObject({
  kind: ReflectionKind,
  confidence: Share,
  summary: z.string(),
  evidenceIds: z.array(Id).meta({ description: "The units or turns concerned" }),
  operations: z.array(SelfEditOperation).meta({ description: "Ready for `POST /v1/self/edit`" }),
  applied: z.array(z.int().min(0)).meta({ description: "Indexes of these operations in `edit`; empty: not applied" }),
}).meta({ id: "ReflectionFinding" });
export type ReflectionFinding = z.infer<typeof ReflectionFinding>;

export const Reflection = z.strictObject({
  window: z.strictObject({ from: z.string(), to: z.string() }),
  lookedAt: z.strictObject({
    facts: z.int().min(0),
    turns: z.int().min(0),
    others: z.int().min(0).meta({
      description: "Units that are stale, of low worth, expiring or due, regardless of the window",
    }),
  }),
  found: z.partialRecord(ReflectionKind, z.int().min(1)).meta({ description: "Number of findings before the limit" }),
  truncated: z.boolean().meta({ description: "There was more to examine, or more was found than is shown" }),
  findings: z.array(ReflectionFinding).meta({ description: "Most confident first" }),
  edit: SelfEdit.nullable(),
}).meta({ id: "Reflection", description: "What a reflection found" });
export type Reflection = z.infer<typeof Reflection>;
