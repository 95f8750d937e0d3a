/** Limits on how an agent may edit its own memory. */
import type { UnitRow } from "../../db/queries/unit_columns.ts";

/**
 * Thrown if an operation would overwrite protected knowledge. The edit does not run the operation and opens a review.
 */
export class BeyondRight extends Error {
  constructor(readonly unit: UnitRow<unknown>) {
    super(`${unit.id} is ${unit.attribution}`);
  }
}

/** Thrown if a text has changed since it was prepared. The operation has changed nothing and can be prepared again. */
export class TextChanged extends Error {}
