/** The versions of a unit, page by page. */
import type { OperationContext } from "../../context.ts";
import { listRevisions, type RevisionRow } from "../../db/queries/revisions.ts";
import type { Tx } from "../../db/tx.ts";
import type { ListQuery, Page } from "../../schema/common.ts";
import type { UnitType } from "../../schema/unit.ts";
import { decodeCursor, encodeCursor } from "../common/cursor.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import { requireUnit } from "./store.ts";
import { type AnyKind, toUnit } from "./kind.ts";

/**
 * A page of versions in one order; the cursor is a version.
 * @throws ServiceError `not_found`, `erased`
 */
export async function pageOfRevisions<Item>(
  ctx: OperationContext,
  type: UnitType,
  id: string,
  { limit, order, cursor }: ListQuery,
  toItems: (tx: Tx, rows: readonly RevisionRow[]) => Item[] | Promise<Item[]>,
): Promise<Page<Item>> {
  // The list's name holds the unit, because a version of one unit has no meaning in another.
  const list = `revisions:${id}`;
  const isVersion = (key: unknown): key is number => Number.isInteger(key) && Math.abs(key as number) < 2 ** 31;
  const after = decodeCursor(list, order, cursor, isVersion);
  return await ctx.tx(async (tx) => {
    await requireUnit(tx, type, id);
    const rows = await listRevisions(tx, id, { order, after, limit: limit + 1 });
    const items = await toItems(tx, rows.slice(0, limit));
    const last = rows[items.length - 1];
    const hasMore = rows.length > limit && last !== undefined;
    return { data: items, nextCursor: hasMore ? encodeCursor(list, order, last.version) : null };
  }, { readOnly: true, fromReplica: true });
}

/** Describes a version's origin: event, time, author and reason. */
export function toRevisionShape(row: RevisionRow) {
  return {
    version: row.version,
    event: row.event,
    recordedAt: row.revisedAt.toISOString(),
    replacedAt: row.replacedAt?.toISOString() ?? null,
    changedBy: row.changedBy,
    reason: row.reason,
  };
}

/**
 * Lists every version of a unit in full, under the name of its type; the newest first unless the caller asks otherwise.
 * @throws ServiceError `not_found`, `erased`
 */
export async function listUnitRevisions(
  ctx: OperationContext,
  kind: AnyKind,
  id: string,
  query: ListQuery,
): Promise<Page<Record<string, unknown>>> {
  return await pageOfRevisions(ctx, kind.type, id, query, (_tx, rows) =>
    rows.map((row) => ({
      ...toRevisionShape(row),
      [kind.type]: toUnit<object>(row.unit as UnitRow<object>),
    })));
}
