/**
 * What is known above a clearance changes nothing below it: whoever may see a unit, and not the one that would change
 * it, must not learn that the latter exists.
 */
import { isCleared, type Sensitivity } from "../../schema/common.ts";

interface Classified {
  readonly sensitivity: Sensitivity;
}

/** Whether a unit is more sensitive than it was: what it has changed since may be above what is below it now. */
export function isRaised(before: Classified, after: Classified | undefined): after is Classified {
  return after !== undefined && !isCleared(after.sensitivity, before.sensitivity);
}

/** Whether one unit may change what is stored about another: it is not more sensitive than that one. */
export function mayChange(cause: Classified, unit: Classified): boolean {
  return isCleared(cause.sensitivity, unit.sensitivity);
}
