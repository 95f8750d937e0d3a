/** The log of deliveries of an endpoint, sending deliveries again, and testing an endpoint. */
import type { OperationContext } from "../../context.ts";
import { readFeedHead } from "../../db/queries/changes.ts";
import { replayFeed, replayLog } from "../../db/queries/webhook_deliveries.ts";
import * as queries from "../../db/queries/webhook_log.ts";
import { updateWebhook, type WebhookRow } from "../../db/queries/webhooks.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import { isCleared } from "../../schema/common.ts";
import type {
  ListWebhookDeliveriesQuery,
  ReplayWebhookBody,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookReplayed,
  WebhookTested,
} from "../../schema/webhook.ts";
import { decodeCursor, encodeCursor, toPage } from "../common/cursor.ts";
import { seesTasks, TASK_TYPES } from "../common/task_scope.ts";
import { readSince, requireReached } from "../feed/changes.ts";
import { loadWebhook } from "./endpoints.ts";
import { newMessageId, toMessage } from "./message.ts";
import { sendMessage, toShownReply } from "./send.ts";
import { webhookSenderOf } from "./sender.ts";
import { receivingOf } from "./take_up.ts";
import { verifyNow } from "./verify.ts";

const TESTS_PER_MINUTE = 6;
/** The most places of the feed that one replay covers. */
const REPLAY_MAX = 100_000;

/**
 * Lists the deliveries of an endpoint, the newest change first unless asked otherwise. Callers who may not read tasks do not
 * see deliveries of changes of tasks and events.
 * @throws ServiceError `not_found`
 */
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
      withoutTypes: hiddenTypes(ctx),
    });
  }, { readOnly: true });
  return toPage(rows, limit, toDelivery, ({ seq }) => encodeCursor(list, order, seq));
}

/** The types of resources whose deliveries the caller does not see. */
function hiddenTypes(ctx: OperationContext): readonly string[] {
  return seesTasks(ctx) ? [] : TASK_TYPES;
}

function isSeq(key: unknown): key is number {
  return Number.isSafeInteger(key) && (key as number) >= 0;
}

/**
 * Makes one delivery due now, even if the receiver asked for a rest; a dead one gets one further attempt.
 * @throws ServiceError `not_found`; `invalid_transition` when it was delivered or skipped, when the endpoint is not
 * enabled, or when the endpoint is no longer sent such changes
 * @throws ServiceError `not_found`; `invalid_transition` when the endpoint is not enabled; `validation_failed` when the
 * stretch ends before it begins, begins beyond the end of the feed, or is too long
 */
export async function retryDelivery(
  ctx: OperationContext,
  endpointId: string,
  deliveryId: string,
): Promise<WebhookDelivery> {
  const row = await ctx.tx(async (tx) => {
    const webhook = await loadWebhook(tx, endpointId, true);
    requireEnabled(webhook);
    const row = await queries.findDelivery(tx, endpointId, deliveryId);
    if (row === undefined || hiddenTypes(ctx).includes(row.resourceType)) {
      throw new ServiceError("not_found", "Cannot find the delivery");
    }
    if (row.state !== "pending" && row.state !== "dead") {
      throw new ServiceError("invalid_transition", `Cannot send the delivery again: it is ${row.state}`);
    }
    const { maxSensitivity, withoutTypes } = receivingOf(webhook);
    if (!isCleared(row.sensitivity, maxSensitivity) || withoutTypes.includes(row.resourceType)) {
      throw new ServiceError(
        "invalid_transition",
        "Cannot send the delivery again: the webhook may not be sent it any more",
      );
    }
    tx.audit({ eventType: "webhook.replayed", targets: [endpointId], detail: { deliveryId } });
    await endRest(tx, webhook);
    return await queries.retryDelivery(tx, endpointId, deliveryId);
  });
  webhookSenderOf(ctx.deps).wake();
  return toDelivery(row);
}

/** Ends the rest that a receiver asked for: somebody wants the messages sent now. */
async function endRest(tx: Tx, row: WebhookRow): Promise<void> {
  if (row.throttledUntil !== null) await updateWebhook(tx, row.id, { ...row, throttledUntil: null }, false);
}

/**
 * Sends a stretch of the feed again, with the same ids: the deliveries in some states, or every change of the stretch.
 * Either way only what the endpoint is sent today.
 * @throws ServiceError `not_found`; `invalid_transition` when the endpoint is not enabled; `validation_failed` when the
 *   stretch ends before it begins, begins beyond the end of the feed, or is too long
 */
export async function replayDeliveries(
  ctx: OperationContext,
  endpointId: string,
  { since, until, states }: ReplayWebhookBody,
): Promise<WebhookReplayed> {
  const events = await ctx.tx(async (tx) => {
    // The endpoint is looked up first, so that a caller learns nothing about one of another workspace.
    const row = await loadWebhook(tx, endpointId, true);
    requireEnabled(row);
    const after = readSince(ctx.workspaceId, since);
    requireReached(after, await readFeedHead(tx));
    const wanted = until === undefined ? Infinity : readSince(ctx.workspaceId, until, "until");
    if (wanted < after) throw invalidUntil("must not be before since");
    // The endpoint will be sent the changes behind its place anyway.
    const through = Math.min(wanted, row.cursorSeq);
    if (through - after > REPLAY_MAX) throw invalidUntil(`must be at most ${REPLAY_MAX} changes after since`);
    const receiving = receivingOf(row);
    const events = states === undefined
      ? await replayFeed(tx, receiving, { after, through })
      : await replayLog(tx, receiving, { after, through, states });
    tx.audit({ eventType: "webhook.replayed", targets: [endpointId], detail: { events, after, through } });
    await endRest(tx, row);
    return events;
  });
  webhookSenderOf(ctx.deps).wake();
  return { events };
}

function invalidUntil(message: string): ServiceError {
  const errors = [{ path: "until", message }];
  return new ServiceError("validation_failed", `Cannot replay this part of the feed: until ${message}`, { errors });
}

/**
 * Sends `webhook.test` now, once; a URL that has not given its consent gets the challenge instead. Only the reply of a URL
 * that has given its consent is shown, so that nobody can read other servers through this service.
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
  return { status, error, durationMs, response: isVerified ? toShownReply(reply) : "", verified: isVerified };
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
