/** Reads knowledge units of any kind: their present and earlier states. */
import type { OperationContext } from "../../context.ts";
import { findUnitAt } from "../../db/queries/revisions.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import type { Page } from "../../schema/common.ts";
import type { GetUnitQuery, UnitListQuery } from "../../schema/unit.ts";
import { decodeCursor, encodeCursor, isId, toPage } from "../common/cursor.ts";
import { listUnits as listRows, type UnitFilter } from "../../db/queries/unit_lists.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import { requireUnit } from "./store.ts";
import { type AnyKind, toUnit } from "./kind.ts";

/**
 * Reads a unit in any state, or as it was known at a time.
 * @throws ServiceError `not_found`, also when it was not known then; `erased`
 */
export async function getUnit<Unit>(
  ctx: OperationContext,
  kind: AnyKind,
  id: string,
  query: GetUnitQuery = {},
): Promise<Unit> {
  return await ctx.tx(async (tx) => {
    const unit = await requireUnit<object>(tx, kind.type, id);
    if (query.knownAt === undefined) return toUnit<Unit>(unit);
    const row = await findUnitAt(tx, id, new Date(query.knownAt));
    if (row !== undefined) return toUnit<Unit>(row);
    throw new ServiceError("not_found", `Cannot find the ${kind.type}: it was not known at that time`);
  }, { readOnly: true });
}

/** A kind's additions to the reading of its lists, in the transaction. */
export interface ListOptions<Unit> {
  readonly filter?: (tx: Tx) => Promise<Partial<UnitFilter>>;
  readonly show?: (tx: Tx, rows: readonly UnitRow[]) => Promise<Unit[]>;
}

/** The filters of a list that are the same for every kind; each kind decides which states it lists. */
export function toCommonFilter(query: Omit<UnitListQuery, "status">) {
  return {
    tags: query.tags,
    tagsMatch: query.tagsMatch,
    attributions: query.attribution,
    sensitivities: query.sensitivity,
    minTrust: query.minTrust,
    pinned: query.pinned,
    stale: query.stale,
    knownAt: query.knownAt === undefined ? undefined : new Date(query.knownAt),
  };
}

/** Lists units by creation, the newest first unless the caller asks otherwise. */
export async function listUnits<Unit>(
  ctx: OperationContext,
  kind: AnyKind,
  query: UnitListQuery,
  options: ListOptions<Unit> = {},
): Promise<Page<Unit>> {
  const { limit, order } = query;
  const after = decodeCursor(kind.type, order, query.cursor, isId);
  const filter: UnitFilter = {
    statuses: query.status ?? kind.listed,
    ...toCommonFilter(query),
    ...kind.filterOf?.(query),
  };
  return await ctx.tx(async (tx) => {
    const more = await options.filter?.(tx);
    const rows = await listRows(tx, kind.type, { ...filter, ...more }, { order, after, limit: limit + 1 });
    const page = toPage(rows, limit, (row) => row, (row) => encodeCursor(kind.type, order, row.id));
    const show = options.show ?? ((_tx, shown) => Promise.resolve(shown.map((row) => toUnit<Unit>(row))));
    return { ...page, data: await show(tx, page.data) };
  }, { readOnly: true, fromReplica: true });
}
