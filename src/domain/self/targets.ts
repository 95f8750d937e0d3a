/** Locks units of any type that an edit changes. */
import type { Tx } from "../../db/tx.ts";
import { isErased } from "../../db/queries/deletion_log.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import { ServiceError } from "../../errors.ts";
import { UNIT_TYPES } from "../../schema/unit.ts";
import { lockUnits } from "../kinds/any_unit.ts";
import { requireVersion } from "../unit/store.ts";

export type AnyUnit = UnitRow<object>;

/**
 * A unit of any type, locked for the rest of the transaction.
 * @throws ServiceError `not_found`, `erased`, `version_mismatch`
 */
export async function lockTarget(tx: Tx, id: string, expectedVersion?: number): Promise<AnyUnit> {
  const [unit] = await lockUnits(tx, [id]);
  if (unit === undefined) throw await explainMissing(tx, id);
  requireVersion(unit, expectedVersion);
  return unit;
}

/** Why there is no such unit. */
export async function explainMissing(tx: Tx, id: string): Promise<ServiceError> {
  for (const type of UNIT_TYPES) {
    if (await isErased(tx, type, id)) return new ServiceError("erased", `Cannot edit the ${type} ${id}: it was erased`);
  }
  return new ServiceError("not_found", `Cannot find the unit ${id}`);
}
