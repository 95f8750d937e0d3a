/** From the change feed to deliveries: what has committed is taken up, whatever dies meanwhile. */
import type { OperationContext } from "../../context.ts";
import { readFeedHead } from "../../db/queries/changes.ts";
import * as deliveries from "../../db/queries/webhook_deliveries.ts";
import * as queries from "../../db/queries/webhooks.ts";
import { TASK_RESOURCES } from "../../schema/change.ts";
import { tellDisabled } from "./results.ts";

/** Changes of one transaction. */
const CHANGES_MAX = 500;
/** Places of the feed that one statement looks at, so that the work of a filter that finds little is bounded. */
const SPAN_MAX = 10_000;
/** An endpoint with more waiting is disabled: nobody will read it. */
export const PENDING_MAX = 1_000_000;
/** Counting is work: it is done once in so many places of the feed. */
const COUNTED_EVERY = 10_000;

/** Which changes an endpoint receives. */
export function receivingOf({ id, maxSensitivity, kinds, withTasks }: queries.WebhookRow): deliveries.Receiving {
  return { endpointId: id, maxSensitivity, kinds, withoutTypes: withTasks ? [] : Object.keys(TASK_RESOURCES) };
}

/**
 * Takes up the next changes for an endpoint, under its clearance: deliveries and place are written in one transaction, so
 * that nothing is lost or taken twice. Answers whether there are more.
 */
export async function takeUpChanges(ctx: OperationContext, endpointId: string): Promise<boolean> {
  return await ctx.tx(async (tx) => {
    const row = await queries.findWebhook(tx, endpointId, true);
    if (row?.status !== "enabled") return false;
    const head = await readFeedHead(tx);
    const after = row.cursorSeq;
    if (head <= after) return false;
    const through = Math.min(head, after + SPAN_MAX);
    const { looked, last, inserted } = await deliveries.fanOut(tx, receivingOf(row), {
      ...{ after, through, limit: CHANGES_MAX },
    });
    const cursorSeq = looked === CHANGES_MAX ? last : through;
    const state = { ...row, cursorSeq };
    const isCounted = inserted > 0 && Math.floor(cursorSeq / COUNTED_EVERY) > Math.floor(after / COUNTED_EVERY);
    if (isCounted && await deliveries.arePendingOver(tx, endpointId, PENDING_MAX)) {
      tellDisabled(tx, row, "backlog");
      await queries.updateWebhook(tx, endpointId, { ...state, status: "disabled", statusReason: "backlog" }, false);
      return false;
    }
    await queries.updateWebhook(tx, endpointId, state, false);
    return cursorSeq < head;
  });
}
