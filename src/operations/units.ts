/**
 * Reads units of any type by id, because an id in `derivedFrom`, a relation or a review does not tell the unit's type.
 */
import { getAnyUnit, getUnits as get } from "../domain/kinds/any_unit.ts";
import { GetUnitsQuery, KnowledgeUnit, SoughtUnits } from "../schema/knowledge_unit.ts";
import { GetUnitQuery, UnitParams } from "../schema/unit.ts";
import { operation } from "./operation.ts";

/** Reads units of any types. */
export const getUnits = operation({
  id: "getUnits",
  summary: "Read units of any types",
  description: "Reads units by their ids, in any state, as they are or as they were known at a time.",
  scope: "memory:read",
  query: GetUnitsQuery,
  reply: SoughtUnits,
}, (ctx, { query }) => get(ctx, query));

/** Reads a unit of any type. */
export const getUnit = operation({
  id: "getUnit",
  summary: "Read a unit of any type",
  description:
    "Reads the unit in any state, or as it was known at a time. For a merged entity: the merged record itself.",
  scope: "memory:read",
  params: UnitParams,
  query: GetUnitQuery,
  reply: KnowledgeUnit,
  versioned: true,
  errors: ["erased"],
}, (ctx, { params, query }) => getAnyUnit(ctx, params.id, query));
