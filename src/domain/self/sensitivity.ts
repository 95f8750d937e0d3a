/** Computes the sensitivity of an edit, which shows the units that it changed and those that it proposes. */
import type { Tx } from "../../db/tx.ts";
import type { OperationRow } from "../../db/queries/self_edits.ts";
import { findUnits } from "../../db/queries/units.ts";
import { SENSITIVITIES, type Sensitivity } from "../../schema/common.ts";
import type { FactConflict } from "../../schema/fact.ts";
import type { SelfEditOperation } from "../../schema/self_edit.ts";
import { leastSensitive, mostSensitive } from "../unit/trust.ts";
import { namedIds } from "./references.ts";

/** The present sensitivity of everything that outcomes mention, and at least `floor`. */
export async function sensitivityOf(tx: Tx, rows: readonly OperationRow[], floor: Sensitivity): Promise<Sensitivity> {
  const rivals = (row: OperationRow) => (row.result as { conflict?: FactConflict } | null)?.conflict?.factIds ?? [];
  const ids = [...new Set(rows.flatMap((row) => [...row.changes.map((change) => change.id), ...rivals(row)]))];
  const units = ids.length === 0 ? [] : await findUnits(tx, ids);
  return mostSensitive(floor, ...units.map((unit) => unit.sensitivity));
}

/**
 * The sensitivity of everything that operations name or state, as far as it is known in advance. Statements above the
 * caller's clearance are refused, and the edit that holds them stays readable to its author.
 */
export async function proposedSensitivity(tx: Tx, operations: readonly SelfEditOperation[]): Promise<Sensitivity> {
  const ids = [...new Set(operations.flatMap(namedIds))];
  const units = ids.length === 0 ? [] : await findUnits(tx, ids);
  const stated = operations.flatMap((operation) => {
    const said = operation.op === "add" ? operation.body : operation.op === "update" ? operation.patch : operation;
    return SENSITIVITIES.filter((known) => "sensitivity" in said && known === said.sensitivity);
  });
  const all = mostSensitive("internal", ...stated, ...units.map((unit) => unit.sensitivity));
  return leastSensitive(all, tx.maxSensitivity);
}
