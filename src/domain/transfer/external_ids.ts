/** The external ids in an import: the import leaves out an id that another resource has here. */
import { findExternalIds, lockExternalIds } from "../../db/queries/external_ids.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import type { Tx } from "../../db/tx.ts";
import type { SessionLine, UnitLine } from "../../schema/transfer_lines.ts";
import type { UnitType } from "../../schema/unit.ts";
import { keepExternalId } from "../unit/external_id.ts";
import { type Clash, type Importing, withhold } from "./line_kind.ts";

/** Locks external ids of units, and finds the units that have them here. */
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
 * Settles the external id of an imported row, and returns the row. The unit keeps the id that it has here; without one
 * it takes the line's, unless another unit has it. The report counts an id that is left out.
 * @param holders the units by their external ids; this one is added
 */
export function settleName(
  importing: Importing,
  line: UnitLine,
  row: UnitRow,
  { existing, holders }: { readonly existing: UnitRow | undefined; readonly holders: Map<string, string> },
): UnitRow {
  const { externalId } = row.body;
  const here = existing?.body.externalId;
  if (here !== undefined) {
    if (externalId !== undefined && externalId !== here) withhold(importing, line, "externalId");
    return { ...row, body: keepExternalId(existing!.body, row.body) };
  }
  if (typeof externalId !== "string" || holders.getOrInsert(externalId, row.id) === row.id) return row;
  withhold(importing, line, "externalId");
  return { ...row, body: keepExternalId({}, row.body) };
}

/** The lines of sessions whose external id another session has, here or earlier in the file. */
export async function findNamesakes(tx: Tx, lines: readonly SessionLine[]): Promise<SessionLine[]> {
  const named = lines.filter(({ externalId }) => typeof externalId === "string");
  const holders = await findExternalIds(tx, "session", named.map(({ externalId }) => externalId!));
  return named.filter(({ id, externalId }) => holders.getOrInsert(externalId!, id) !== id);
}

/** The sessions that have the external ids of lines under other ids: the same conversations, recorded before. */
export async function findHolders(tx: Tx, lines: readonly SessionLine[]): Promise<Clash[]> {
  const named = lines.filter(({ externalId }) => typeof externalId === "string");
  const holders = await findExternalIds(tx, "session", named.map(({ externalId }) => externalId!));
  return named.flatMap(({ id, externalId }) => {
    const localId = holders.get(externalId!);
    return localId === undefined || localId === id ? [] : [{ id, localId }];
  });
}
