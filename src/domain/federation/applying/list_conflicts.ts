/** Lists conflicts with versions of other instances. */
import type { OperationContext } from "../../../context.ts";
import { type ConflictRow, listConflicts } from "../../../db/queries/federation_conflicts.ts";
import type { Page } from "../../../schema/common.ts";
import type { FederationConflict, ListFederationConflictsQuery } from "../../../schema/federation_conflict.ts";
import { decodeCursor, encodeCursor, isId, toPage } from "../../common/cursor.ts";

/** Lists conflicts in the order in which they were opened, by default the newest first. */
export async function listFederationConflicts(
  ctx: OperationContext,
  query: ListFederationConflictsQuery,
): Promise<Page<FederationConflict>> {
  const { limit, order, state, peer } = query;
  const after = decodeCursor("federation conflicts", order, query.cursor, isId);
  const filter = { states: state ?? ["contested" as const], writer: peer, order, after, limit: limit + 1 };
  const rows = await ctx.tx((tx) => listConflicts(tx, filter), { readOnly: true });
  return toPage(rows, limit, toConflict, (row) => encodeCursor("federation conflicts", order, row.id));
}

function toConflict(row: ConflictRow): FederationConflict {
  const outcome = row.resolution?.["outcome"];
  return {
    id: row.id,
    type: row.type,
    origin: { ...row.origin },
    writer: row.writer,
    state: row.state,
    unitId: row.unitId,
    otherUnitId: row.otherUnitId,
    strategy: row.strategy,
    reviewItemId: row.reviewItemId,
    taskId: row.taskId,
    sensitivity: row.sensitivity,
    outcome: typeof outcome === "string" ? outcome : null,
    openedAt: row.openedAt.toISOString(),
    resolvedAt: row.resolvedAt?.toISOString() ?? null,
    resolvedBy: row.resolvedBy,
  };
}
