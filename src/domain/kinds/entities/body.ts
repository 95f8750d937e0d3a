/** The row of an entity. */
import type { NamedBody } from "../../unit/names/names.ts";
import type { UnitRow } from "../../../db/queries/unit_columns.ts";

/** The typed rest of an entity, as the row keeps it. */
export type EntityBody = NamedBody & {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly drawers: readonly string[];
};

export type EntityRow = UnitRow<EntityBody>;
