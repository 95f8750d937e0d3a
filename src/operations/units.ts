/**
 * Lists units of all types, and reads units of any type by id, because an id in `derivedFrom`, a relation or a review does not tell the unit's type.
 */
import { getAnyUnit } from "../domain/kinds/any_unit.ts";
import { getOrBrowseUnits } from "../domain/kinds/browse.ts";
import { GetUnitsQuery, KnowledgeUnit, SoughtUnits } from "../schema/knowledge_unit.ts";
import { GetUnitQuery, UnitParams } from "../schema/unit.ts";
import { operation } from "./operation.ts";

/** Lists units of all types, or reads some of any types by their ids. */
export const getUnits = operation({
  id: "getUnits",
  summary: "List units of all types, or read some by their ids",
  description:
    "Without `id`: a list of the units of all types, filtered and sorted. With `id`: those units in any state, as they are or as they were known at a time; an unknown one has no `unit`.",
  scope: "memory:read",
  query: GetUnitsQuery,
  reply: SoughtUnits,
}, (ctx, { query }) => getOrBrowseUnits(ctx, query));

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
