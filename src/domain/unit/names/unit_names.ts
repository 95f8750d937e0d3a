/**
 * Stores the names, aliases and tags of units, by which recall finds those that a query names (`match: "named"`). The
 * ledger calls this for every write. Former names of a unit stay, for reads of what was known before.
 */
import type { OperationContext } from "../../../context.ts";
import {
  insertUnitNames,
  lockUnnamed,
  markNamed,
  type NameSource,
  renewUnitNames,
  type UnitNameRow,
} from "../../../db/queries/unit_names.ts";
import type { UnitRow } from "../../../db/queries/unit_columns.ts";
import type { Tx } from "../../../db/tx.ts";
import { type NameForm, nameForms } from "../../../retrieval/mod.ts";
import type { UnitType } from "../../../schema/unit.ts";
import { aliasesOf } from "../aliases.ts";
import { rulesOf } from "../rules.ts";

export interface CalledUnit {
  readonly type: UnitType;
  readonly body: unknown;
  readonly tags: readonly string[];
}

/** A name of a unit in one of its spellings, each once. */
export interface Called extends NameForm {
  readonly source: NameSource;
}

export function listCalled({ type, body, tags }: CalledUnit): Called[] {
  const members = body as Readonly<Record<string, unknown>> | null;
  const own = rulesOf(type).called.flatMap((member) => {
    const name = members?.[member];
    return typeof name === "string" ? [name] : [];
  });
  const sources: readonly (readonly [NameSource, readonly string[]])[] = [
    ["name", own],
    ["alias", aliasesOf(body)],
    ["tag", tags],
  ];
  const found = new Map<string, Called>();
  for (const [source, names] of sources) {
    for (const form of names.flatMap(nameForms)) {
      const place = `${source} ${form.key}`;
      if (!found.has(place)) found.set(place, { ...form, source });
    }
  }
  return [...found.values()];
}

function toRows(unit: UnitRow<unknown>, since: Date): UnitNameRow[] {
  const { id: unitId, type: unitType, sensitivity } = unit;
  return listCalled(unit).map((name) => ({ ...name, unitId, unitType, sensitivity, since }));
}

/** A unit that was written, and the time since which it has been known in this form. */
export interface NamedWrite {
  /** Undefined: the unit is new. */
  readonly before: UnitRow<unknown> | undefined;
  readonly row: UnitRow<unknown>;
  readonly since: Date;
}

/** Stores the names of new units, and of units whose names or sensitivity have changed. */
export async function storeCalled(tx: Tx, writes: readonly NamedWrite[]): Promise<void> {
  const fresh = writes.filter(({ before }) => before === undefined);
  const changed = writes.filter(({ before, row }) =>
    before !== undefined &&
    (before.sensitivity !== row.sensitivity || JSON.stringify(listCalled(before)) !== JSON.stringify(listCalled(row)))
  );
  await insertUnitNames(tx, fresh.flatMap(({ row, since }) => toRows(row, since)));
  if (changed.length === 0) return;
  await renewUnitNames(
    tx,
    changed.map(({ row, since }) => {
      const { id: unitId, sensitivity } = row;
      return { unitId, sensitivity, at: since, names: toRows(row, since) };
    }),
  );
}

/** Units whose names one step stores. */
const UNITS_STEP = 500;

/** Stores the names of a bounded number of units that an earlier build wrote. Returns whether there may be more. */
export async function nameOldUnits(ctx: OperationContext): Promise<boolean> {
  return await ctx.tx(async (tx) => {
    const units = await lockUnnamed(tx, UNITS_STEP);
    if (units.length === 0) return false;
    await insertUnitNames(tx, units.flatMap((unit) => toRows(unit, unit.recordedAt)));
    await markNamed(tx, units.map(({ id }) => id));
    return units.length === UNITS_STEP;
  });
}
