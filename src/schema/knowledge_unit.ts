/** A knowledge unit of whatever type. */
import { z } from "zod";
import { Id, repeated, TimestampInput } from "./common.ts";
import { Decision } from "./decision.ts";
import { Entity } from "./entity.ts";
import { Episode } from "./episode.ts";
import { Fact } from "./fact.ts";
import { Skill } from "./skill.ts";
import { Strategy } from "./strategy.ts";
import { UnitType } from "./unit.ts";
import { Workflow } from "./workflow.ts";

export const KnowledgeUnit = z.discriminatedUnion("type", [
  Fact,
  Decision,
  Strategy,
  Workflow,
  Skill,
  Episode,
  Entity,
]).meta({ id: "KnowledgeUnit", description: "A unit of any type; `type` says which" });
export type KnowledgeUnit = z.infer<typeof KnowledgeUnit>;

/** Units that are read at once. */
const UNITS_MAX = 100;

export const GetUnitsQuery = z.strictObject({
  id: repeated(Id, UNITS_MAX).meta({ description: `May be repeated, up to ${UNITS_MAX} times` }),
  knownAt: TimestampInput.optional().meta({ description: "The versions that this service knew at that time" }),
});
export type GetUnitsQuery = z.infer<typeof GetUnitsQuery>;

export const SoughtUnit = z.strictObject({
  id: Id,
  type: UnitType.nullable().meta({ description: "Null if there is a `unit`" }),
  unit: KnowledgeUnit.nullable().meta({
    description: "Null: it does not exist, was erased, is above the key's clearance, or was not known at that time",
  }),
}).meta({ id: "SoughtUnit" });
export const SoughtUnits = z.strictObject({
  data: z.array(SoughtUnit).meta({ description: "In the order of the request" }),
})
  .meta({ id: "SoughtUnits", description: "The units in the order of the ids; null where there is none" });
export type SoughtUnits = z.infer<typeof SoughtUnits>;
