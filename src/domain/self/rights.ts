/** What an agent may not do to its own memory by itself. */
import type { UnitRow } from "../../db/queries/units.ts";
import type { Attribution } from "../../schema/common.ts";

/** Knowledge that only a person's decision overwrites. */
const PROTECTED: readonly Attribution[] = ["verified", "user_stated"];

export function isProtected(unit: Pick<UnitRow<unknown>, "attribution">): boolean {
  return PROTECTED.includes(unit.attribution);
}

/** An operation would overwrite protected knowledge: nothing of it is done, a person is asked. */
export class BeyondRight extends Error {
  constructor(readonly unit: UnitRow<unknown>) {
    super(`${unit.id} is ${unit.attribution}`);
  }
}

/** A text was changed since it was prepared: nothing was done, and it can be prepared anew. */
export class TextChanged extends Error {}
