/** Entries of the change feed about units. */
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import type { Tx } from "../../db/tx.ts";
import type { Sensitivity } from "../../schema/common.ts";
import { mergedInto } from "./names/names.ts";

/** Adds an entry about a unit to the change feed: its document number and its state, never its content. */
export function recordUnit(
  tx: Tx,
  event: string,
  unit: UnitRow<unknown>,
  sensitivity: Sensitivity = unit.sensitivity,
): void {
  const survivorId = mergedInto(unit);
  tx.record({
    kind: `${unit.type}.${event}`,
    resourceType: unit.type,
    resourceId: unit.id,
    version: unit.version,
    sensitivity,
    payload: {
      docNo: unit.docNo,
      status: unit.status,
      ...(survivorId !== null && { mergedInto: survivorId }),
    },
  });
}
