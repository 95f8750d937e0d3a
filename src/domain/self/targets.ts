/** Taking hold of units of any type that an edit is about. */
import type { Tx } from "../../db/scope.ts";
import { isErased } from "../../db/queries/deletion_log.ts";
import { findUnits, lockNames, type UnitRow } from "../../db/queries/units.ts";
import { ServiceError } from "../../errors.ts";
import { UNIT_TYPES } from "../../schema/unit.ts";
import { namesOf } from "../kinds/facts/settle.ts";
import { requireVersion } from "../unit/store.ts";

export type AnyUnit = UnitRow<object>;

/**
 * Locks all units that an edit is about, in the order that every writer takes: names of facts, then rows by id.
 * @param names further ones, of what the edit states
 */
export async function lockTargets(tx: Tx, ids: readonly string[], names: readonly string[]): Promise<void> {
  const seen = ids.length === 0 ? [] : await findUnits(tx, ids);
  const all = [...names, ...namesOf(seen.filter((unit) => unit.type === "fact"))];
  if (all.length > 0) await lockNames(tx, all);
  if (seen.length > 0) await findUnits(tx, ids, { lock: "update" });
}

/**
 * A unit of any type, locked for the rest of the transaction.
 * @throws ServiceError `not_found`, `erased`, `version_mismatch`
 */
export async function lockTarget(tx: Tx, id: string, expectedVersion?: number): Promise<AnyUnit> {
  await lockTargets(tx, [id], []);
  const [unit] = await findUnits(tx, [id], { lock: "update" });
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
