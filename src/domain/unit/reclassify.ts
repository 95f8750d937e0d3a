/** Moving what is kept beside a unit to another sensitivity, with the unit. */
import * as mentions from "../../db/queries/mentions.ts";
import * as revisions from "../../db/queries/revisions.ts";
import { raiseSelfEdits } from "../../db/queries/self_edits.ts";
import { findUnits, raiseUnit, type UnitRow } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import type { Sensitivity } from "../../schema/common.ts";
import { reclassifyTexts } from "./indexing.ts";
import { type NamedBody, raiseNames } from "./names/names.ts";
import { recordUnit } from "./record.ts";
import { leastSensitive } from "./trust.ts";

/**
 * Moves a unit's indexed texts to its next version's sensitivity. A higher one counts for the whole past, which often
 * says the same; a lower one for a text that stays.
 */
export async function reclassifyUnit(tx: Tx, unit: UnitRow<unknown>, next: UnitRow<unknown>): Promise<void> {
  const to = next.sensitivity;
  const isBelow = (sensitivity: Sensitivity) => sensitivity !== to && leastSensitive(sensitivity, to) === sensitivity;
  const isRaised = isBelow(unit.sensitivity);
  const texts = await revisions.listRevisionTexts(tx, unit.id);
  const moving = texts.filter((text) => isRaised ? isBelow(text.sensitivity) : text.docNo === next.docNo);
  await reclassifyTexts(tx, moving.map((text) => ({ ...text, kind: unit.type })), to);
  if (!isRaised) return;
  await revisions.raiseRevisions(tx, unit.id, to);
  await raiseSelfEdits(tx, unit.id, to);
  await raiseNamed(tx, moving.map((text) => text.docNo), to);
}

/**
 * Entities that were opened for names in texts follow them when no text below names them any more: the name is a part of
 * the text. Those that somebody has touched since, or that something rests on or is related to, stay.
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
