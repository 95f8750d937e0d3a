/** Entries of the change feed about units. */
import type { UnitRow } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import type { Sensitivity } from "../../schema/common.ts";
import { mergedInto } from "./names/names.ts";

/** Tells the feed about a unit: where the index has it and in which state it is, never what it says. */
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
