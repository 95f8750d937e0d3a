/**
 * What becomes of facts whose successor is more sensitive than it was: a fact changes nothing that is less sensitive, also
 * if it became more sensitive only later.
 */
import { raiseClosedRevisions } from "../../../db/queries/revisions.ts";
import { findUnits, lockClosedAbove } from "../../../db/queries/units.ts";
import type { Tx } from "../../../db/tx.ts";
import { reviseUnit, reviseUnits } from "../../unit/store.ts";
import { reopening } from "./ending.ts";
import type { FactBody, FactRow } from "./fields.ts";
import { relateFacts } from "./inferred.ts";
import { isEnding, outdatingColumns } from "./judgement.ts";
import { reinstate } from "./lifecycle.ts";
import { openNextOutdating } from "./lock_rivals.ts";

/**
 * Brings facts back into force that are less sensitive than what took their place. Who may see both is told what is
 * outdated, and asked; to others the versions that name the successor are as if they had not been.
 * @param ids facts that are more sensitive than before
 * @returns the current rows of all facts that it changed
 */
export async function freeBelow(tx: Tx, ids: readonly string[]): Promise<FactRow[]> {
  const closed = await lockClosedAbove<FactBody>(tx, "fact", ids);
  if (closed.length === 0) return [];
  const changed: FactRow[] = [];
  for (const [byId, own] of Map.groupBy(closed, ({ body }) => body.supersededBy!)) {
    const [by] = await findUnits<FactBody>(tx, [byId], { type: "fact", lock: "update" });
    if (by === undefined) continue;
    const reason = `${byId}, which took its place, is more sensitive now`;
    const freed: FactRow[] = [];
    for (const fact of own) {
      await raiseClosedRevisions(tx, fact.id, byId, by.sensitivity);
      const ending = isEnding(fact)
        ? { ...reopening(fact, [], tx.now, reason), note: { event: "updated", reason } }
        : null;
      freed.push(
        ending === null ? await reinstate(tx, fact, reason, "updated") : (await reviseUnits(tx, [ending]))[0]!,
      );
    }
    const [successor] = await findUnits<FactBody>(tx, [byId], { type: "fact", lock: "update" });
    const outdated = freed.map((fact) => ({ fact, by: relateFacts(successor!, fact).by }));
    const marked = await reviseUnit(tx, successor!, outdatingColumns(successor!, outdated)!, {
      event: "updated",
      reason: null,
    });
    await openNextOutdating(tx, marked);
    changed.push(...freed, marked);
  }
  return changed;
}
