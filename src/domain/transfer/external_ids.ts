/** The names that callers' own systems have for what an import brings: one that another has here is left out. */
import { findExternalIds, lockExternalIds } from "../../db/queries/external_ids.ts";
import type { UnitRow } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import type { SessionLine, UnitLine } from "../../schema/transfer_lines.ts";
import type { UnitType } from "../../schema/unit.ts";
import { type Importing, withhold } from "./line_kind.ts";

/** Locks the names of units, and finds who has them here. */
export async function readExternalIds(
  tx: Tx,
  type: UnitType,
  bodies: readonly Readonly<Record<string, unknown>>[],
): Promise<Map<string, string>> {
  if (type !== "fact") return new Map();
  const names = bodies.map(({ externalId }) => externalId).filter((name) => typeof name === "string");
  await lockExternalIds(tx, type, names);
  return await findExternalIds(tx, type, names);
}

/**
 * The row, without its name if another unit has that here.
 * @param holders who has which name; the row's is added
 */
export function keepFreeName(
  importing: Importing,
  line: UnitLine,
  row: UnitRow,
  holders: Map<string, string>,
): UnitRow {
  const { externalId, ...body } = row.body;
  if (typeof externalId !== "string" || holders.getOrInsert(externalId, row.id) === row.id) return row;
  withhold(importing, line, "externalId");
  return { ...row, body };
}

/** The sessions among lines whose name another session has, here or earlier in the file. */
export async function findNamesakes(tx: Tx, lines: readonly SessionLine[]): Promise<SessionLine[]> {
  const named = lines.filter(({ externalId }) => typeof externalId === "string");
  const holders = await findExternalIds(tx, "session", named.map(({ externalId }) => externalId!));
  return named.filter(({ id, externalId }) => holders.getOrInsert(externalId!, id) !== id);
}
