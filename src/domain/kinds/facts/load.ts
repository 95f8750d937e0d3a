/** Locks a fact that is about to change. */
import type { Tx } from "../../../db/tx.ts";
import { lockNames } from "../../../db/queries/units.ts";
import { ServiceError } from "../../../errors.ts";
import { requireUnit, requireVersion } from "../../unit/store.ts";
import { type FactBody, type FactRow, statusAt } from "./fields.ts";
import { namesOf } from "./lock_rivals.ts";

/**
 * A fact, locked for the rest of the transaction. The names come before the row, as every writer of facts takes them.
 * @throws ServiceError `not_found`, `erased`, `version_mismatch`
 */
export async function lockFact(tx: Tx, id: string, ifMatch?: number): Promise<FactRow> {
  const seen = await requireUnit<FactBody>(tx, "fact", id);
  await lockNames(tx, namesOf([seen]));
  const fact = await requireUnit<FactBody>(tx, "fact", id, { lock: "update" });
  requireVersion(fact, ifMatch);
  return fact;
}

export function refuseTransition(tx: Tx, fact: FactRow, verb: string, hint = ""): ServiceError {
  return new ServiceError("invalid_transition", `Cannot ${verb} the fact: it is ${statusAt(fact, tx.now)}${hint}`);
}
