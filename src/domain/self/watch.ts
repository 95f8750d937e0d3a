/** Finds the versions that an operation created, by what it adds to the change feed. */
import type { ChangeInput, Tx } from "../../db/tx.ts";
import type { EditedUnit } from "../../db/queries/self_edits.ts";
import { UNIT_TYPES } from "../../schema/unit.ts";

export interface Watched {
  readonly tx: Tx;
  /** Returns the changes since its last call. */
  take(): ChangeInput[];
}

export function watch(tx: Tx): Watched {
  let seen: ChangeInput[] = [];
  return {
    tx: {
      ...tx,
      record(change) {
        seen.push(change);
        tx.record(change);
      },
    },
    take() {
      const taken = seen;
      seen = [];
      return taken;
    },
  };
}

/**
 * The versions behind changes of units. An entry for a new version has its place in the index (`docNo`), unlike marks such
 * as `stale`; a corroboration may create one or not, so its author reports it.
 */
export function toUnitChanges(changes: readonly ChangeInput[]): EditedUnit[] {
  const units = new Map<string, EditedUnit>();
  for (const { kind, resourceId: id, resourceType: type, version, payload } of changes) {
    const known = units.get(id);
    if (type === "relation" && payload?.["status"] !== undefined) {
      units.set(id, { id, type, before: known?.before ?? version - 1, after: version });
    }
    if (!(UNIT_TYPES as readonly string[]).includes(type)) continue;
    if (kind === `${type}.erased`) {
      units.set(id, { id, type, before: known?.before ?? version, after: null });
    } else if (payload?.["docNo"] !== undefined && kind !== `${type}.corroborated`) {
      units.set(id, { id, type, before: known?.before ?? version - 1, after: version });
    }
  }
  return [...units.values()];
}
