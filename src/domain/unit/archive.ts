/** Archives units of any type. */
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import type { Tx } from "../../db/tx.ts";
import { type ChangeNote, rulesOf } from "./rules.ts";
import { reviseUnits, type Revision } from "./store.ts";

/** Why a unit is archived, and whose decision it was. */
export type ArchiveNote = Omit<ChangeNote, "event">;

/** The revision that archives a unit: it leaves recall, keeps its content, and can be restored. */
export function archival<Body>(tx: Tx, unit: UnitRow<Body>, note: ArchiveNote): Revision<Body> {
  const more = rulesOf(unit.type).whenArchived?.(unit, tx.now);
  return { unit, changes: { ...more, status: "archived" }, note: { event: "archived", ...note } };
}

/** Archives a unit that the transaction has locked, in any state; an archived one stays as it is. */
export async function archive<Body>(tx: Tx, unit: UnitRow<Body>, note: ArchiveNote): Promise<UnitRow<Body>> {
  if (unit.status === "archived") return unit;
  const [row] = await reviseUnits(tx, [archival(tx, unit, note)]);
  return row!;
}
