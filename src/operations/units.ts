/**
 * Lists units of all types, and reads units of any type by id, because an id in `derivedFrom`, a relation or a review does not tell the unit's type.
 */
import { getAnyUnit } from "../domain/kinds/any_unit.ts";
import { getOrBrowseUnits } from "../domain/kinds/browse.ts";
import { addNewerOf } from "../domain/recall/database/newer.ts";
import * as forgetting from "../domain/kinds/forget_units.ts";
import { GetUnitsQuery, KnowledgeUnit, SoughtUnits } from "../schema/knowledge_unit.ts";
import { ForgetUnitsBody, ForgottenUnits } from "../schema/forget_units.ts";
import { BATCH } from "./cost.ts";
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
}, async (ctx, { query }) => {
  const units = await getOrBrowseUnits(ctx, query);
  return query.id === undefined || query.knownAt !== undefined ? units : await addNewerOf(ctx, units);
});

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

/** Forgets the units that a filter selects, a bounded number in one call. */
export const forgetUnits = operation({
  id: "forgetUnits",
  summary: "Forget the units that a filter selects",
  description:
    "Archives or erases, in one transaction, up to `limit` units that meet all conditions, the newest first; at least one condition is required. Call it again with `nextCursor` until it is null; a call that is broken off has forgotten all of its units or none, and starting again without a cursor does no harm. `dryRun` lists what would be forgotten. A unit of which a part of the history is above the key's clearance is refused and stays. Turns of sessions are not units: `POST /v1/session/{id}/purge` and `DELETE /v1/session/{id}/turns/{messageId}` erase them.",
  scope: "memory:delete",
  cost: BATCH,
  body: ForgetUnitsBody,
  reply: ForgottenUnits,
  example: {
    body: { mode: "archive", tags: ["import-2026-03"], dryRun: true },
    reply: {
      mode: "archive",
      dryRun: true,
      forgotten: 0,
      data: [{ id: "01890000-0000-7000-8000-000000000001", type: "fact", outcome: "found" }],
      nextCursor: null,
    },
  },
}, (ctx, { body }) => forgetting.forgetUnits(ctx, body));
