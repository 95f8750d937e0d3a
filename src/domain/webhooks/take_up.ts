/** Turns the change feed into deliveries: each committed change becomes one, even if a process dies in between. */
import type { OperationContext } from "../../context.ts";
import { readFeedHead } from "../../db/queries/changes.ts";
import * as deliveries from "../../db/queries/webhook_deliveries.ts";
import * as queries from "../../db/queries/webhooks.ts";
import { TASK_TYPES } from "../common/task_scope.ts";
import { disable, logDisabled, type OwnReason } from "./disable.ts";

/** The most changes that one transaction takes up. */
const CHANGES_MAX = 500;
/** The most positions of the feed that one statement scans: a filter that finds little must not scan all of it. */
const SPAN_MAX = 10_000;

/** When the service counts the pending deliveries of an endpoint, and how many are too many. */
export interface BacklogLimits {
  /** The service disables an endpoint that has more pending deliveries than this. */
  readonly pendingMax: number;
  /** Counting is slow: the service counts each time the endpoint has passed this many further places of the feed. */
  readonly countedEvery: number;
}

const BACKLOG: BacklogLimits = { pendingMax: 1_000_000, countedEvery: 10_000 };

/** Says which changes an endpoint is sent. */
export function receivingOf({ id, maxSensitivity, kinds, withTasks }: queries.WebhookRow): deliveries.Receiving {
  return { endpointId: id, maxSensitivity, kinds, withoutTypes: withTasks ? [] : TASK_TYPES };
}

/**
 * Takes up the next changes for an endpoint, under its clearance. One transaction writes the deliveries and the endpoint's
 * place in the feed, so no change is lost and none is taken up twice. Disables the endpoint if its key has lost its rights
 * or too many deliveries are pending. Returns whether the feed has more changes for it.
 */
export async function takeUpChanges(ctx: OperationContext, endpointId: string, limits = BACKLOG): Promise<boolean> {
  const { isMore, reason } = await ctx.tx(async (tx): Promise<{ isMore: boolean; reason?: OwnReason }> => {
    const row = await queries.findWebhook(tx, endpointId, true);
    if (row?.status !== "enabled") return { isMore: false };
    if (!row.isEntitled) {
      await disable(tx, row, row, "key");
      return { isMore: false, reason: "key" };
    }
    const head = await readFeedHead(tx);
    const after = row.cursorSeq;
    if (head <= after) return { isMore: false };
    const through = Math.min(head, after + SPAN_MAX);
    const { looked, last } = await deliveries.fanOut(tx, receivingOf(row), { after, through, limit: CHANGES_MAX });
    const state = { ...row, cursorSeq: looked === CHANGES_MAX ? last : through };
    const countsAt = (seq: number) => Math.floor(seq / limits.countedEvery);
    const isCounted = countsAt(state.cursorSeq) > countsAt(after);
    if (isCounted && await deliveries.arePendingOver(tx, endpointId, limits.pendingMax)) {
      await disable(tx, row, state, "backlog");
      return { isMore: false, reason: "backlog" };
    }
    await queries.updateWebhook(tx, endpointId, state, false);
    return { isMore: state.cursorSeq < head };
  });
  if (reason !== undefined) logDisabled(ctx, endpointId, reason);
  return isMore;
}
