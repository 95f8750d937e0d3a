/** Forgetting units by a filter. */
import { z } from "zod";
import { AgentId, Attribution, EndInput, Id, isSpan, Metadata, Sensitivity, Tags, TimestampInput } from "./common.ts";
import { UnitType } from "./unit.ts";
import { UNIT_STATES } from "./unit_state.ts";

/** The most units that one call forgets. */
export const FORGOTTEN_MAX = 500;
const FORGOTTEN_DEFAULT = 100;

/** Which units; each member that is given narrows them. */
const conditions = {
  types: z.array(UnitType).min(1).max(10).optional(),
  tags: Tags.min(1).optional(),
  createdBy: z.string().min(1).max(200).optional().meta({ description: "Who created it, such as `key:<id>`" }),
  agentId: AgentId.optional().meta({ description: "Facts that cite a session of this agent, and episodes of it" }),
  sessionId: Id.optional().meta({ description: "Facts that cite this session, and episodes of it" }),
  entityId: Id.optional().meta({ description: "Units that mention this entity" }),
  attribution: z.array(Attribution).min(1).max(9).optional().meta({ description: "The source: who said so" }),
  metadata: Metadata.refine((members) => Object.keys(members).length > 0, "must have a member").optional().meta({
    description: "Units whose metadata has these members with these values",
  }),
  sensitivity: z.array(Sensitivity).min(1).max(4).optional(),
  createdFrom: TimestampInput.optional().meta({ description: "Created at this time or later" }),
  createdTo: EndInput.optional().meta({ description: "Created before this time" }),
};
const CONDITIONS = Object.keys(conditions) as (keyof typeof conditions)[];

export const ForgetUnitsBody = z.strictObject({
  mode: z.enum(["archive", "erase"]).meta({
    description: "`archive` can be undone. `erase` removes content, revisions, embedding and index for ever",
  }),
  ...conditions,
  tagsMatch: z.enum(["any", "all"]).default("any"),
  status: z.array(z.enum(UNIT_STATES)).min(1).max(UNIT_STATES.length).optional().meta({
    description: "Default: all states, with `archive` all but `archived`",
  }),
  dryRun: z.boolean().default(false).meta({ description: "Only lists what would be forgotten" }),
  limit: z.int().min(1).max(FORGOTTEN_MAX).default(FORGOTTEN_DEFAULT),
  cursor: z.string().min(1).max(1_000).optional().meta({ description: "`nextCursor` of the previous call" }),
  reason: z.string().min(1).max(1_000).optional(),
}).refine((body) => CONDITIONS.some((name) => body[name] !== undefined), "must have a condition")
  .refine(({ createdFrom: from, createdTo: to }) => isSpan({ from, to }), {
    message: "must not be before createdFrom",
    path: ["createdTo"],
  }).meta({ id: "ForgetUnitsBody" });
export type ForgetUnitsBody = z.infer<typeof ForgetUnitsBody>;

export const ForgottenUnit = z.strictObject({
  id: Id,
  type: UnitType,
  outcome: z.enum(["archived", "erased", "found", "refused"]).meta({
    description: "`found`: it would be forgotten. `refused`: a part of its history is above the key's clearance",
  }),
}).meta({ id: "ForgottenUnit" });
export type ForgottenUnit = z.infer<typeof ForgottenUnit>;

export const ForgottenUnits = z.strictObject({
  mode: z.enum(["archive", "erase"]),
  dryRun: z.boolean(),
  forgotten: z.int().min(0).meta({ description: "How many of them are archived or erased now" }),
  data: z.array(ForgottenUnit).meta({ description: "The newest first" }),
  nextCursor: z.string().nullable().meta({ description: "For the next call; null: there are no more" }),
}).meta({ id: "ForgottenUnits", description: "What one call found and forgot" });
export type ForgottenUnits = z.infer<typeof ForgottenUnits>;
