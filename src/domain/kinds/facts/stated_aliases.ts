/** Aliases with which somebody states a known fact again. */
import type { Tx } from "../../../db/tx.ts";
import { aliasesOf, joinAliases, withAliases } from "../../unit/aliases.ts";
import { tidyNames } from "../../../language/names.ts";
import { reviseUnits } from "../../unit/store.ts";
import type { FactRow } from "./fields.ts";

interface Stated {
  readonly row: FactRow;
  readonly isNew: boolean;
  readonly leftOut: readonly string[];
}

/**
 * Gives known facts the further aliases with which a batch states them again, as many as a unit may have: each such
 * fact gets one more version. Returns the results, with the rows as they are then.
 * @param written the result of each statement, by the statement as the row that it would be
 */
export async function addStatedAliases<New extends { readonly fact: FactRow }, Written extends Stated>(
  tx: Tx,
  written: ReadonlyMap<New, Written>,
): Promise<ReadonlyMap<New, Written>> {
  const known = new Map<string, { readonly row: FactRow; readonly aliases: readonly string[] }>();
  const full = new Set<New>();
  for (const [statement, { row, isNew, leftOut }] of written) {
    const stated = aliasesOf(statement.fact.body);
    if (isNew || stated.length === 0 || leftOut.includes("aliases")) continue;
    const own = known.get(row.id)?.aliases ?? aliasesOf(row.body);
    const aliases = joinAliases(own, stated);
    if (tidyNames([...own, ...stated]).length > aliases.length) full.add(statement);
    if (aliases.length > aliasesOf(row.body).length) known.set(row.id, { row, aliases });
  }
  if (known.size === 0 && full.size === 0) return written;
  const note = { event: "updated", reason: "stated again with further aliases" };
  const revisions = [...known.values()].map(({ row, aliases }) => ({
    unit: row,
    changes: { body: withAliases(row.body, aliases) },
    note,
  }));
  const rows = new Map((await reviseUnits(tx, revisions)).map((row) => [row.id, row]));
  return new Map([...written].map(([statement, one]) => [statement, {
    ...one,
    row: rows.get(one.row.id) ?? one.row,
    ...(full.has(statement) && { leftOut: [...one.leftOut, "aliases"] }),
  }]));
}
