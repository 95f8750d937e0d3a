/**
 * Carries out a person's decision about a stale unit: affirm it although a source is no longer in
 * force, or archive it. Both make a version that records who decided and why. An archived unit can
 * be restored, and then goes to review again.
 */
import type { Tx } from "../../db/tx.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import { findUnits } from "../../db/queries/units.ts";
import { ServiceError } from "../../errors.ts";
import { lockUnits } from "../kinds/any_unit.ts";
import { archive } from "../unit/archive.ts";
import { reviseUnit } from "../unit/store.ts";
import { noteOf, type ReviewResolver } from "../unit/review_resolver.ts";

export const STALE_DEPENDANT: ReviewResolver = {
  actions: ["keep_local", "accept_incoming"],
  async lock(tx, item) {
    await lockUnits(tx, [item.subjectId]);
  },
  async prepare(_ctx, _item, body) {
    return await Promise.resolve(async (tx, item) => {
      const unit = await lockStale(tx, item.subjectId);
      const note = { reason: noteOf(item, body), reviewItemId: item.id };
      if (body.action === "keep_local") {
        const row = await reviseUnit(tx, unit, { stale: false }, { event: "affirmed", ...note });
        return { outcome: "affirmed", units: [toReviewed(row)] };
      }
      const row = await archive(tx, unit, note);
      return { outcome: "archived", units: [toReviewed(row)] };
    });
  },
};

/** @throws ServiceError `conflict` when the unit was erased, is hidden or no longer stale. */
async function lockStale(tx: Tx, id: string): Promise<UnitRow> {
  const [unit] = await findUnits(tx, [id], { lock: "update" });
  if (unit?.stale) return unit;
  const why = unit === undefined ? "what it is about is not there" : "it is not stale any more";
  throw new ServiceError("conflict", `Cannot resolve the review item: ${why}; dismiss it`);
}

function toReviewed(
  { id, version, status }: { readonly id: string; readonly version: number; readonly status: string },
) {
  return { id, version, status };
}
