/** Marks units of which another instance has a contradicting version: recall shows them as contested. */
import { findUnits } from "../../db/queries/units.ts";
import { setDisputed } from "../../db/queries/unit_writes.ts";
import type { Tx } from "../../db/tx.ts";
import { recordUnit } from "./record.ts";

/**
 * Marks units as disputed, or removes the mark. This writes no version; the feed gets a row for each unit that changed.
 */
export async function markDisputed(tx: Tx, ids: readonly string[], disputed: boolean): Promise<void> {
  if (ids.length === 0) return;
  const changed = await setDisputed(tx, ids, disputed);
  for (const unit of await findUnits(tx, [...changed])) recordUnit(tx, disputed ? "disputed" : "settled", unit);
}
