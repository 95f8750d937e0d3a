/** Changes the sensitivity of the data that belongs to a unit when the unit's own sensitivity changes. */
import * as mentions from "../../db/queries/mentions.ts";
import { reclassifyNewerLinks } from "../../db/queries/newer_links.ts";
import * as revisions from "../../db/queries/revisions.ts";
import { raiseReviewItems } from "../../db/queries/review_items.ts";
import { raiseSelfEdits } from "../../db/queries/self_edits.ts";
import { raiseUnitNames } from "../../db/queries/unit_names.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import { findUnits, raiseUnit } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import type { Sensitivity } from "../../schema/common.ts";
import { reclassifyTexts } from "./unindexing.ts";
import { type NamedBody, raiseNames } from "./names/names.ts";
import { recordUnit } from "./record.ts";
import { leastSensitive } from "./trust.ts";

/**
 * Gives a unit's indexed texts the sensitivity of its next version. A higher sensitivity applies to the texts of all earlier
 * versions too, because these often say the same; a lower one applies only to a text that the next version keeps.
 */
export async function reclassifyUnit(tx: Tx, unit: UnitRow<unknown>, next: UnitRow<unknown>): Promise<void> {
  const to = next.sensitivity;
  const isBelow = (sensitivity: Sensitivity) => sensitivity !== to && leastSensitive(sensitivity, to) === sensitivity;
  const isRaised = isBelow(unit.sensitivity);
  const texts = await revisions.listRevisionTexts(tx, unit.id);
  const moving = texts.filter((text) => isRaised ? isBelow(text.sensitivity) : text.docNo === next.docNo);
  await reclassifyTexts(tx, moving.map((text) => ({ ...text, kind: unit.type })), to);
  await reclassifyNewerLinks(tx, unit.id, to);
  if (!isRaised) return;
  await revisions.raiseRevisions(tx, unit.id, to);
  await raiseUnitNames(tx, unit.id, to);
  await raiseSelfEdits(tx, unit.id, to);
  await raiseReviewItems(tx, unit.id, to);
  await raiseNamed(tx, moving.map((text) => text.docNo), to);
}

/**
 * Raises the sensitivity of entities that the service created for names in these texts, if no text of lower sensitivity
 * names them any more, because the name is a part of the text. Entities that somebody has changed since, that another unit
 * rests on, or that have relations keep their sensitivity.
 */
async function raiseNamed(tx: Tx, docNos: readonly number[], to: Sensitivity): Promise<void> {
  const ids = await mentions.lockOpenedFor(tx, docNos, to);
  for (const entity of ids.length === 0 ? [] : await findUnits<NamedBody>(tx, ids)) {
    const raised = { ...entity, sensitivity: to };
    await raiseUnit(tx, entity.id, to);
    await reclassifyUnit(tx, entity, raised);
    await raiseNames(tx, raised);
    recordUnit(tx, "updated", raised, entity.sensitivity);
  }
}
