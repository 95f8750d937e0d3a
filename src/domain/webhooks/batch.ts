/** One turn with an endpoint: leases due deliveries, sends them in a few lanes at once, and writes the results. */
import type { OperationContext } from "../../context.ts";
import { uuidv7 } from "../../crypto/ids.ts";
import * as deliveries from "../../db/queries/webhook_deliveries.ts";
import * as queries from "../../db/queries/webhooks.ts";
import type { Tx } from "../../db/tx.ts";
import { messageOf } from "./message.ts";
import { type Ended, writeResults } from "./results.ts";
import { openSecrets } from "./secrets.ts";
import { sendMessage } from "./send.ts";

/** The most deliveries that one turn leases for an endpoint whose last attempt was a success. */
const BATCH_MAX = 20;
/** Longer than a turn can take: an attempt has 15 s, and five follow each other in a lane. */
const LEASE_SECONDS = 120;
/** After an attempt that took this long, a lane waits for the endpoint's current state before it sends the next message. */
const SLOW_MS = 100;
/** After a failed attempt that took this long, the turn ends: other endpoints need the lanes. */
const HANGING_MS = 1_000;
/** How long an endpoint rests when its secrets cannot be opened: the operator has to set the right key. */
const UNREADABLE_SECONDS = 60;

/**
 * `more`: lease further deliveries immediately. `later`: the endpoint may have more, but others come first. `done`:
 * nothing is due, or the endpoint takes nothing now.
 */
export type TurnEnd = "more" | "later" | "done";

export interface TurnOptions {
  /** How many messages may be on their way at once. */
  readonly lanes: number;
  /** Whether the endpoint's last attempt was a success; if not, the turn sends one message. */
  readonly isTrusted: boolean;
  /** Aborted when attempts may take no longer, because the service stops. */
  readonly ending: AbortSignal;
}

/**
 * Sends deliveries of an endpoint that are due now.
 * @throws ServiceError `unavailable` when the endpoint's secrets cannot be opened; the endpoint then rests for a minute
 */
export async function deliverDue(ctx: OperationContext, endpointId: string, options: TurnOptions): Promise<TurnEnd> {
  const leaseId = uuidv7(ctx.deps.clock());
  const { row, leased } = await ctx.tx(async (tx) => {
    const row = await queries.findWebhook(tx, endpointId);
    if (!row?.isEntitled) return { row: undefined, leased: [] };
    const most = row.ratePerMinute === null ? BATCH_MAX : Math.min(BATCH_MAX, burstOf(row.ratePerMinute));
    const lease = { leaseId, seconds: LEASE_SECONDS, limit: options.isTrusted ? most : 1 };
    return { row, leased: await deliveries.leaseDeliveries(tx, endpointId, lease) };
  });
  if (row === undefined || leased.length === 0) return "done";
  try {
    openSecrets(ctx.deps, ctx.workspaceId, row.id, row.secrets);
  } catch (error) {
    await ctx.tx(async (tx) => {
      await deliveries.releaseDeliveries(tx, endpointId, leaseId, leased.map(({ seq }) => seq));
      await rest(tx, endpointId, UNREADABLE_SECONDS);
    });
    throw error;
  }
  return await sendBatch(ctx, { row, leaseId, leased }, options);
}

interface Batch {
  readonly row: queries.WebhookRow;
  readonly leaseId: string;
  readonly leased: readonly deliveries.LeasedDelivery[];
}

/** Sends the leased deliveries. Results are written as they come; results that come together share a transaction. */
async function sendBatch(
  ctx: OperationContext,
  { row, leaseId, leased }: Batch,
  { lanes, isTrusted, ending }: TurnOptions,
): Promise<TurnEnd> {
  const waiting = [...leased];
  const ended: Ended[] = [];
  let isOpen = true;
  let next = { isOpen: true, isWilling: true, isTrusted };
  let writing: Promise<void> | undefined;
  let failed: { readonly error: unknown } | undefined;
  const write = async () => {
    try {
      while (ended.length > 0) {
        next = await writeResults(ctx, row, leaseId, ended.splice(0));
        isOpen &&= next.isOpen;
      }
    } catch (error) {
      // Rethrown below. Deliveries without a written result are sent again when the lease ends.
      [failed, isOpen] = [{ error }, false];
    }
  };
  const sending = { ...ctx, signal: ending };
  const sendOne = async (one: deliveries.LeasedDelivery) => {
    if (!await takeToken(ctx, row)) return void (isOpen = false);
    const attempt = await sendMessage(sending, row, messageOf(ctx.workspaceId, one.id, one));
    // This service ended the attempt, because it stops or a caller changed the endpoint: the receiver has not failed.
    if (attempt.error === "aborted") return void (isOpen = false);
    waiting.splice(waiting.indexOf(one), 1);
    ended.push({ seq: one.seq, attempts: one.attempts, attempt });
    if (attempt.error !== null && attempt.durationMs >= HANGING_MS) isOpen = false;
    writing ??= write().finally(() => writing = undefined);
    if (attempt.durationMs >= SLOW_MS) await writing;
  };
  const begun = leased.values();
  const lane = async () => {
    while (isOpen && !ctx.deps.stopping.aborted) {
      const { value } = begun.next();
      if (value === undefined) return;
      await sendOne(value);
    }
  };
  const results = await Promise.allSettled(Array.from({ length: Math.min(lanes, leased.length) }, lane));
  while (writing !== undefined) await writing;
  // Leased deliveries that were not tried, also after an error, are released immediately for the next lease.
  if (waiting.length > 0) {
    const seqs = waiting.map(({ seq }) => seq);
    await ctx.tx((tx) => deliveries.releaseDeliveries(tx, row.id, leaseId, seqs));
  }
  if (failed !== undefined) throw failed.error;
  for (const result of results) if (result.status === "rejected") throw result.reason;
  if (!next.isWilling) return "done";
  return isOpen && isTrusted && next.isTrusted ? "more" : "later";
}

/** How many messages an endpoint with a rate may get at once. */
function burstOf(perMinute: number): number {
  return Math.max(1, Math.ceil(perMinute / 60));
}

/** Takes one of the messages that the endpoint may get in a minute. If none is left, the endpoint rests until there is. */
async function takeToken(
  ctx: OperationContext,
  { id, ratePerMinute: perMinute }: queries.WebhookRow,
): Promise<boolean> {
  if (perMinute === null) return true;
  const rate = { perMinute, burst: burstOf(perMinute) };
  const { isAllowed, retryAfterSeconds } = await ctx.deps.rateLimit.take(`webhook:${id}`, rate);
  if (!isAllowed) await ctx.tx((tx) => rest(tx, id, retryAfterSeconds));
  return isAllowed;
}

/** Keeps an endpoint from getting messages for some seconds; a longer rest stays as it is. */
async function rest(tx: Tx, endpointId: string, seconds: number): Promise<void> {
  const row = await queries.findWebhook(tx, endpointId, true);
  if (row === undefined) return;
  const until = new Date(tx.now.getTime() + seconds * 1_000);
  const throttledUntil = row.throttledUntil !== null && row.throttledUntil > until ? row.throttledUntil : until;
  await queries.updateWebhook(tx, endpointId, { ...row, throttledUntil }, false);
}
