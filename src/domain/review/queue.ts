/** The review queue: reads, resolves and dismisses items. */
import type { OperationContext } from "../../context.ts";
import type { Tx } from "../../db/tx.ts";
import * as queries from "../../db/queries/review_items.ts";
import type { ReviewItemRow } from "../../db/queries/review_items.ts";
import { ServiceError } from "../../errors.ts";
import type { Page } from "../../schema/common.ts";
import type {
  DismissReviewBody,
  ListReviewQuery,
  ResolveReviewBody,
  ReviewAction,
  ReviewItem,
  ReviewResolution,
} from "../../schema/review.ts";
import { decodeCursor, encodeCursor, isId, toPage } from "../common/cursor.ts";
import { RESOLVERS } from "./resolvers.ts";
import type { ReviewResolver } from "../unit/review_resolver.ts";
import { requireVersion } from "../unit/store.ts";

const READ_ONLY = { readOnly: true };

/** @throws ServiceError `not_found` */
export async function getReviewItem(ctx: OperationContext, id: string): Promise<ReviewItem> {
  return toReviewItem(requireItem(await ctx.tx((tx) => queries.findReviewItem(tx, id), READ_ONLY)));
}

/** Lists items by their opening, the newest first unless the caller asks otherwise. */
export async function listReviewItems(ctx: OperationContext, query: ListReviewQuery): Promise<Page<ReviewItem>> {
  const { limit, order, kind, unitId } = query;
  const after = decodeCursor("review", order, query.cursor, isId);
  const filter = { kinds: kind, statuses: query.status ?? ["open" as const], unitId, order, after, limit: limit + 1 };
  const rows = await ctx.tx((tx) => queries.listReviewItems(tx, filter), { readOnly: true, fromReplica: true });
  return toPage(rows, limit, toReviewItem, (row) => encodeCursor("review", order, row.id));
}

/**
 * Carries out a decision on an open item. If two decisions race, the first wins.
 * @throws ServiceError `not_found`, `version_mismatch`, `validation_failed`; `invalid_transition`
 * when it is closed;
 * `insufficient_scope` when the decision needs a scope that the caller lacks; `conflict` when the
 * units have changed so that the decision no longer applies
 */
export async function resolveReviewItem(
  ctx: OperationContext,
  id: string,
  body: ResolveReviewBody,
  ifMatch: number | undefined,
): Promise<ReviewItem> {
  const seen = requireOpen(requireItem(await ctx.tx((tx) => queries.findReviewItem(tx, id), READ_ONLY)), "resolve");
  const resolver = requireResolver(seen, body);
  const carryOut = await resolver.prepare(ctx, seen, body);
  return await ctx.tx(async (tx) => {
    await resolver.lock(tx, seen);
    const item = await lockOpen(tx, id, "resolve", ifMatch);
    const { outcome, units } = await carryOut(tx, item);
    const { action, reason = null } = body;
    return await close(tx, item, "resolved", { action, outcome, reason, units: [...units] });
  });
}

/**
 * Closes an open item without a decision: the units stay as they are. A contested fact stays contested until it is
 * changed, or nothing contradicts it any more.
 * @throws ServiceError `not_found`, `version_mismatch`; `invalid_transition` when it is closed; `insufficient_scope`
 * when dismissing it needs a scope that the caller lacks
 */
export async function dismissReviewItem(
  ctx: OperationContext,
  id: string,
  body: DismissReviewBody,
  ifMatch: number | undefined,
): Promise<ReviewItem> {
  return await ctx.tx(async (tx) => {
    const item = await lockOpen(tx, id, "dismiss", ifMatch);
    await RESOLVERS[item.kind].dismiss?.(ctx, tx, item);
    return await close(tx, item, "dismissed", {
      action: null,
      outcome: "dismissed",
      reason: body.reason ?? null,
      units: [],
    });
  });
}

async function close(
  tx: Tx,
  item: ReviewItemRow,
  status: "resolved" | "dismissed",
  resolution: ReviewResolution,
): Promise<ReviewItem> {
  const row = await queries.closeReviewItem(tx, item.id, status, resolution);
  const { id: resourceId, version, sensitivity, kind, subjectId } = row;
  const payload = { kind, subjectId, action: resolution.action };
  tx.record({ kind: `review.${status}`, resourceType: "review", resourceId, version, sensitivity, payload });
  return toReviewItem(row);
}

async function lockOpen(tx: Tx, id: string, verb: string, ifMatch: number | undefined): Promise<ReviewItemRow> {
  const item = requireItem(await queries.findReviewItem(tx, id, { lock: true }));
  requireVersion(item, ifMatch);
  return requireOpen(item, verb);
}

function requireItem(row: ReviewItemRow | undefined): ReviewItemRow {
  if (row === undefined) throw new ServiceError("not_found", "Cannot find the review item");
  return row;
}

function requireOpen(item: ReviewItemRow, verb: string): ReviewItemRow {
  if (item.status === "open") return item;
  throw new ServiceError("invalid_transition", `Cannot ${verb} the review item: it is ${item.status}`, {
    extra: { reviewStatus: item.status, legal: [] },
  });
}

function requireResolver(item: ReviewItemRow, body: ResolveReviewBody): ReviewResolver {
  const actions = actionsOf(item);
  if (actions.includes(body.action)) return RESOLVERS[item.kind];
  const message = `must be ${actions.join(" or ")}`;
  throw new ServiceError("validation_failed", `Cannot resolve a ${item.kind} by ${body.action}: ${message}`, {
    errors: [{ path: "action", message }],
  });
}

function actionsOf(item: ReviewItemRow): readonly ReviewAction[] {
  const resolver = RESOLVERS[item.kind];
  return resolver.actionsOf?.(item) ?? resolver.actions;
}

function toReviewItem(row: ReviewItemRow): ReviewItem {
  return {
    id: row.id,
    version: row.version,
    kind: row.kind,
    status: row.status,
    actions: row.status === "open" ? [...actionsOf(row)] : [],
    sensitivity: row.sensitivity,
    subjectId: row.subjectId,
    otherId: row.otherId,
    detail: row.detail as ReviewItem["detail"],
    resolution: toResolution(row.resolution),
    createdAt: row.createdAt.toISOString(),
    resolvedAt: row.resolvedAt?.toISOString() ?? null,
    resolvedBy: row.resolvedBy,
  };
}

/** Items that settled by themselves keep only the outcome. */
function toResolution(stored: ReviewItemRow["resolution"]): ReviewResolution | null {
  if (stored === null) return null;
  const { action = null, outcome, reason = null, units = [] } = stored as Partial<ReviewResolution>;
  return { action, outcome: outcome ?? "settled", reason, units };
}
