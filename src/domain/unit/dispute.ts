/** Marking units of which another instance holds something else: recall shows them as contested. */
import { findUnits } from "../../db/queries/units.ts";
import { setDisputed } from "../../db/queries/unit_writes.ts";
import type { Tx } from "../../db/tx.ts";
import { recordUnit } from "./record.ts";

/** Marks units as disputed, or takes the mark away. No version is written; the feed tells of those that it changes. */
export async function markDisputed(tx: Tx, ids: readonly string[], disputed: boolean): Promise<void> {
  if (ids.length === 0) return;
  const changed = await setDisputed(tx, ids, disputed);
  for (const unit of await findUnits(tx, [...changed])) recordUnit(tx, disputed ? "disputed" : "settled", unit);
}
