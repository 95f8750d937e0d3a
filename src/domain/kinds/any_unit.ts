/** Reads units of different types together, each as a resource of its own type. */
import type { OperationContext } from "../../context.ts";
import { isErased } from "../../db/queries/deletion_log.ts";
import { findUnitsAt } from "../../db/queries/revisions.ts";
import type { Tx } from "../../db/tx.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import { findUnits, lockNames } from "../../db/queries/units.ts";
import { ServiceError } from "../../errors.ts";
import type { KnowledgeUnit, SoughtUnits } from "../../schema/knowledge_unit.ts";
import { type GetUnitQuery, UNIT_TYPES, type UnitType } from "../../schema/unit.ts";
import { REGISTRY } from "./registry.ts";

/** Reads units of any type by id, in the order of the ids; null for a unit that does not exist or is not visible. */
export async function getUnits(
  ctx: OperationContext,
  { id: ids, knownAt }: { readonly id: readonly string[]; readonly knownAt?: string | undefined },
): Promise<SoughtUnits> {
  return await ctx.tx(async (tx) => {
    const visible = await findUnits(tx, ids);
    const time = knownAt === undefined ? undefined : new Date(knownAt);
    const rows = time === undefined ? visible : await findUnitsAt(tx, visible.map((row) => row.id), time);
    const units = await showUnits(tx, rows, time);
    return {
      data: ids.map((id) => ({ id, type: units.get(id)?.type ?? null, unit: units.get(id) ?? null })),
      nextCursor: null,
    };
  }, { readOnly: true });
}

/**
 * Reads a unit of any type and in any state, or as it was known at a time.
 * @throws ServiceError `not_found`, also when it did not exist at that time; `erased`
 */
export async function getAnyUnit(
  ctx: OperationContext,
  id: string,
  { knownAt }: GetUnitQuery,
): Promise<KnowledgeUnit> {
  const { data: [found] } = await getUnits(ctx, { id: [id], ...(knownAt !== undefined && { knownAt }) });
  if (found?.unit != null) return found.unit;
  if (await ctx.tx((tx) => isErased(tx, UNIT_TYPES, id), { readOnly: true })) {
    throw new ServiceError("erased", "Cannot read the unit: it was erased");
  }
  throw new ServiceError("not_found", "Cannot find the unit");
}

/**
 * Locks units of any types, in the order that every writer takes: names, then rows by id. Invisible units are left out.
 * @param names further names to lock, of units that are about to be stated
 */
export async function lockUnits(
  tx: Tx,
  ids: readonly string[],
  names: readonly string[] = [],
): Promise<UnitRow[]> {
  const seen = ids.length === 0 ? [] : await findUnits(tx, ids);
  const all = [...names, ...namesOfUnits(seen)];
  if (all.length > 0) await lockNames(tx, all);
  return seen.length === 0 ? [] : await findUnits(tx, ids, { lock: "update" });
}

/** Names under which writers of units wait for each other, to be locked before the rows are. */
export function namesOfUnits(units: readonly UnitRow<object>[]): string[] {
  const byType = Map.groupBy(units, (unit) => unit.type);
  return [...byType].flatMap(([type, own]) => REGISTRY[type].writing.namesOf(own));
}

/** Rows of any types as resources, by id. `time` decides whether facts have expired; default: now. */
export async function showUnits(
  tx: Tx,
  rows: readonly UnitRow[],
  time: Date = tx.now,
): Promise<ReadonlyMap<string, KnowledgeUnit>> {
  const byType = Map.groupBy(rows, (row) => row.type);
  const shown = await Promise.all(
    byType.entries().map(([type, own]): Promise<readonly KnowledgeUnit[]> => REGISTRY[type].show(tx, own, time)),
  );
  return new Map(shown.flat().map((unit) => [unit.id, unit]));
}

/** The type of a unit in any state, also of one that was erased; undefined if the caller sees no such unit. */
export async function typeOfUnit(ctx: OperationContext, id: string): Promise<UnitType | undefined> {
  return await ctx.tx(async (tx) => {
    const [row] = await findUnits(tx, [id]);
    if (row !== undefined) return row.type;
    for (const type of UNIT_TYPES) if (await isErased(tx, [type], id)) return type;
    return undefined;
  }, { readOnly: true });
}
