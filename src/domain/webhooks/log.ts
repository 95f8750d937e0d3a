/** What was sent to an endpoint, sending it again, and trying an endpoint out. */
import type { OperationContext } from "../../context.ts";
import * as queries from "../../db/queries/webhook_deliveries.ts";
import { updateWebhook, type WebhookRow } from "../../db/queries/webhooks.ts";
import { ServiceError } from "../../errors.ts";
import type {
  ListWebhookDeliveriesQuery,
  ReplayWebhookBody,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookReplayed,
  WebhookTested,
} from "../../schema/webhook.ts";
import { decodeCursor, encodeCursor, toPage } from "../common/cursor.ts";
import { readSince } from "../feed/changes.ts";
import { loadWebhook } from "./endpoints.ts";
import { newMessageId, toMessage } from "./message.ts";
import { sendMessage, toShownReply } from "./send.ts";
import { webhookSenderOf } from "./sender.ts";
import { receivingOf } from "./take_up.ts";
import { verifyNow } from "./verify.ts";

const TESTS_PER_MINUTE = 6;
/** Places of the feed that one replay covers. */
const REPLAY_MAX = 100_000;

/** The log of an endpoint, the newest change first unless asked otherwise. @throws ServiceError `not_found` */
export async function listDeliveries(
  ctx: OperationContext,
  endpointId: string,
  query: ListWebhookDeliveriesQuery,
): Promise<WebhookDeliveryPage> {
  const { limit, order, state: states, kind: kinds, resourceId } = query;
  const list = `deliveries ${endpointId}`;
  const after = decodeCursor(list, order, query.cursor, isSeq);
  const rows = await ctx.tx(async (tx) => {
    await loadWebhook(tx, endpointId);
    return await queries.listDeliveries(tx, endpointId, {
      ...{ states, kinds, resourceId, order, after, limit: limit + 1 },
    });
  }, { readOnly: true });
  return toPage(rows, limit, toDelivery, ({ seq }) => encodeCursor(list, order, seq));
}

function isSeq(key: unknown): key is number {
  return Number.isSafeInteger(key) && (key as number) >= 0;
}

/**
 * Sends one delivery now, a dead one once more.
 * @throws ServiceError `not_found`; `invalid_transition` when it was delivered or skipped, or the endpoint is not enabled
 */
export async function retryDelivery(
  ctx: OperationContext,
  endpointId: string,
  deliveryId: string,
): Promise<WebhookDelivery> {
  const row = await ctx.tx(async (tx) => {
    requireEnabled(await loadWebhook(tx, endpointId, true));
    const row = await queries.findDelivery(tx, endpointId, deliveryId);
    if (row === undefined) throw new ServiceError("not_found", "Cannot find the delivery");
    if (row.state !== "pending" && row.state !== "dead") {
      throw new ServiceError("invalid_transition", `Cannot retry: the delivery is ${row.state}`);
    }
    tx.audit({ eventType: "webhook.replayed", targets: [endpointId], detail: { deliveryId } });
    return await queries.retryDelivery(tx, endpointId, deliveryId);
  });
  webhookSenderOf(ctx.deps).wake();
  return toDelivery(row);
}

/**
 * Sends a stretch of the feed again, with the same ids: what the log has in some states, or everything that the endpoint
 * receives.
 * @throws ServiceError `not_found`; `invalid_transition` when it is not enabled; `validation_failed` for a stretch that is
 *   none or too long
 */
export async function replayDeliveries(
  ctx: OperationContext,
  endpointId: string,
  { since, until, states }: ReplayWebhookBody,
): Promise<WebhookReplayed> {
  const events = await ctx.tx(async (tx) => {
    // Whose webhook it is comes first: of another workspace's nothing is told, not even that the places are none of its.
    const row = await loadWebhook(tx, endpointId, true);
    requireEnabled(row);
    const after = readSince(ctx.workspaceId, since);
    const wanted = until === undefined ? Infinity : readSince(ctx.workspaceId, until);
    // What it has not come to yet, it will come to.
    const through = Math.min(wanted, row.cursorSeq);
    if (through - after > REPLAY_MAX) {
      const errors = [{ path: "until", message: `must be at most ${REPLAY_MAX} changes after since` }];
      throw new ServiceError("validation_failed", "Cannot replay so much at once", { errors });
    }
    const events = states === undefined
      ? await queries.replayFeed(tx, receivingOf(row), { after, through })
      : await queries.replayLog(tx, endpointId, { after, through, states });
    tx.audit({ eventType: "webhook.replayed", targets: [endpointId], detail: { events, after, through } });
    // What waited for the receiver's sake waits no longer: somebody wants it now.
    await updateWebhook(tx, endpointId, { ...row, throttledUntil: null }, false);
    return events;
  });
  webhookSenderOf(ctx.deps).wake();
  return { events };
}

/**
 * Sends `webhook.test` now, once; a URL that has not given its consent is asked for it instead.
 * @throws ServiceError `not_found`; `rate_limited` after six in a minute; `unavailable` when the secrets cannot be opened
 */
export async function testWebhook(ctx: OperationContext, endpointId: string): Promise<WebhookTested> {
  const { deps } = ctx;
  const row = await ctx.tx((tx) => loadWebhook(tx, endpointId), { readOnly: true });
  const rate = { perMinute: TESTS_PER_MINUTE, burst: TESTS_PER_MINUTE };
  const { isAllowed, retryAfterSeconds } = await deps.rateLimit.take(`webhook test:${endpointId}`, rate);
  if (!isAllowed) {
    throw new ServiceError("rate_limited", `Cannot test more than ${TESTS_PER_MINUTE} times a minute`, {
      headers: { "retry-after": String(retryAfterSeconds) },
    });
  }
  const isKnown = row.verifiedAt !== null;
  const { attempt, isVerified } = isKnown
    ? { attempt: await sendTest(ctx, row), isVerified: true }
    : await verifyNow(ctx, row);
  if (isVerified && !isKnown) webhookSenderOf(deps).wake();
  const { status, error, durationMs, reply } = attempt;
  return { status, error, durationMs, response: toShownReply(reply), verified: isVerified };
}

async function sendTest(ctx: OperationContext, row: WebhookRow) {
  const data = { workspaceId: ctx.workspaceId, webhookId: row.id };
  return await sendMessage(ctx, row, toMessage(newMessageId(), "webhook.test", ctx.deps.clock().toISOString(), data));
}

function requireEnabled({ status }: WebhookRow): void {
  if (status === "enabled") return;
  throw new ServiceError("invalid_transition", `Cannot send: the webhook is ${status}`);
}

function toDelivery(row: queries.DeliveryRow): WebhookDelivery {
  const { id, seq, kind, resourceType, resourceId, state, attempts, lastStatus, lastError, durationMs } = row;
  return {
    ...{ id, seq, kind, resourceType, resourceId, state, attempts },
    nextAttemptAt: state === "pending" ? row.nextAttemptAt.toISOString() : null,
    lastAttemptAt: row.lastAttemptAt?.toISOString() ?? null,
    ...{ lastStatus, lastError, durationMs },
    createdAt: row.createdAt.toISOString(),
    finishedAt: row.finishedAt?.toISOString() ?? null,
  };
}
