/** Reads and lists edits as resources. */
import type { OperationContext } from "../../context.ts";
import type { Tx } from "../../db/tx.ts";
import * as queries from "../../db/queries/self_edits.ts";
import type { SelfEditRow, StoredOperation } from "../../db/queries/self_edits.ts";
import { ServiceError } from "../../errors.ts";
import type { Page } from "../../schema/common.ts";
import type { AppliedOperation, ListSelfEditsQuery, SelfEdit } from "../../schema/self_edit.ts";
import { decodeCursor, encodeCursor, isId, toPage } from "../common/cursor.ts";

const READ_ONLY = { readOnly: true };

/** @throws ServiceError `not_found` */
export async function getSelfEdit(ctx: OperationContext, id: string): Promise<SelfEdit> {
  return await ctx.tx(async (tx) => {
    const row = requireEdit(await queries.findSelfEdit(tx, id));
    return toSelfEdit(row, await queries.listOperations(tx, [id]));
  }, READ_ONLY);
}

/** Lists edits by creation, the newest first unless the caller asks otherwise. */
export async function listSelfEdits(ctx: OperationContext, query: ListSelfEditsQuery): Promise<Page<SelfEdit>> {
  const { limit, order, agentId, unitId, source, outcome, reverted } = query;
  const after = decodeCursor("self_edit", order, query.cursor, isId);
  const date = (text: string | undefined) => text === undefined ? undefined : new Date(text);
  const filter = { agentId, unitId, sources: source, outcomes: outcome, reverted, order, after, limit: limit + 1 };
  return await ctx.tx(async (tx) => {
    const rows = await queries.listSelfEdits(tx, { ...filter, from: date(query.from), to: date(query.to) });
    const operations = await queries.listOperations(tx, rows.slice(0, limit).map((row) => row.id));
    const byEdit = Map.groupBy(operations, (operation) => operation.editId);
    return toPage(
      rows,
      limit,
      (row) => toSelfEdit(row, byEdit.get(row.id) ?? []),
      (row) => encodeCursor("self_edit", order, row.id),
    );
  }, READ_ONLY);
}

export function requireEdit(row: SelfEditRow | undefined): SelfEditRow {
  if (row === undefined) throw new ServiceError("not_found", "Cannot find the edit");
  return row;
}

/** Records an edit in the feed, and returns it. */
export async function finishEdit(tx: Tx, row: SelfEditRow, event: "created" | "updated"): Promise<SelfEdit> {
  recordEdit(tx, row, event);
  return toSelfEdit(row, await queries.listOperations(tx, [row.id]));
}

export function recordEdit(tx: Tx, row: SelfEditRow, event: "created" | "updated" | "reverted"): void {
  const { id: resourceId, version, sensitivity, source, mode } = row;
  tx.record({
    kind: `self_edit.${event}`,
    resourceType: "self_edit",
    resourceId,
    version,
    sensitivity,
    payload: { source, mode },
  });
}

export function toSelfEdit(row: SelfEditRow, stored: readonly StoredOperation[]): SelfEdit {
  const operations = stored.map(toOperation);
  return {
    id: row.id,
    version: row.version,
    status: statusOf(operations),
    mode: row.mode,
    source: row.source,
    reason: row.reason,
    agentId: row.agentId,
    sensitivity: row.sensitivity,
    reverts: row.reverts,
    revertedBy: row.revertedBy,
    operations,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    createdBy: row.createdBy,
  };
}

function toOperation(stored: StoredOperation): AppliedOperation {
  const { result } = stored as { readonly result: Partial<Pick<AppliedOperation, "conflict" | "receipt">> | null };
  // Erasing a unit also erases its review items, so no decision will come.
  const isWithdrawn = stored.outcome === "review" && stored.reviewItemId === null;
  return {
    index: stored.position,
    op: stored.op,
    ref: stored.ref,
    operation: stored.operation as AppliedOperation["operation"],
    outcome: isWithdrawn ? "withdrawn" : stored.outcome,
    resourceId: stored.resourceId,
    resourceType: stored.resourceType,
    versionBefore: stored.versionBefore,
    versionAfter: stored.versionAfter,
    changes: stored.changes.map(({ id, type, before, after }) => {
      return { id, type, versionBefore: before, versionAfter: after };
    }),
    conflict: result?.conflict ?? null,
    receipt: result?.receipt ?? null,
    error: stored.error as AppliedOperation["error"],
    reviewItemId: stored.reviewItemId,
  };
}

function statusOf(operations: readonly AppliedOperation[]): SelfEdit["status"] {
  const has = (...outcomes: AppliedOperation["outcome"][]) =>
    operations.some(({ outcome }) => outcomes.includes(outcome));
  if (has("pending")) return "incomplete";
  if (has("review")) return "in_review";
  const isDone = has("applied", "unchanged");
  if (has("refused", "declined", "withdrawn")) return isDone ? "partial" : "refused";
  return "applied";
}
