/** Writes the results of attempts: for the delivery (delivered, tried again later, dead) and for its endpoint. */
import type { OperationContext } from "../../context.ts";
import * as deliveries from "../../db/queries/webhook_deliveries.ts";
import * as queries from "../../db/queries/webhooks.ts";
import type { Tx } from "../../db/tx.ts";
import { disable, logDisabled, type OwnReason, recordWebhook } from "./disable.ts";
import { type AttemptOutcome, hasFailedTooLong, judgeAttempt, pauseAfter, throttleMs } from "./schedule.ts";
import type { Attempt } from "./send.ts";

const MINUTE_MS = 60_000;

/** An attempt to deliver a change that has ended. */
export interface Ended {
  readonly seq: number;
  /** Including this one. */
  readonly attempts: number;
  readonly attempt: Attempt;
}

/** What the sender may do next with an endpoint. */
export interface Next {
  /** Whether the sender may go on with the deliveries that it has leased. */
  readonly isOpen: boolean;
  /** Whether the endpoint is enabled and has not asked for a rest: the sender may lease further deliveries for it. */
  readonly isWilling: boolean;
  /** Whether the last result was a success. */
  readonly isTrusted: boolean;
}

interface Judged extends deliveries.FinishedAttempt {
  readonly outcome: AttemptOutcome;
  readonly throttledUntil: Date | null;
}

function judge({ seq, attempts, attempt }: Ended, now: Date): Judged {
  const { attempted, status, error, durationMs } = attempt;
  const outcome = judgeAttempt(attempted);
  const after = (ms: number) => new Date(now.getTime() + ms);
  const pauseMs = outcome === "delivered" || outcome === "abandoned" ? undefined : pauseAfter(attempts, Math.random);
  const state = outcome === "delivered" ? "delivered" : pauseMs === undefined ? "dead" : "pending";
  const throttledUntil = outcome === "throttled" && "headers" in attempted
    ? after(throttleMs(attempted.headers, pauseMs ?? 0, now))
    : null;
  return {
    ...{ seq, state, status, error, durationMs, outcome, throttledUntil },
    nextAttemptAt: pauseMs === undefined ? now : after(pauseMs),
  };
}

/**
 * Writes the results of attempts in one transaction. `sent` is the endpoint as it was when the deliveries were leased: if a
 * caller has changed it since, the sender has to lease anew, and a failure at a former URL does not count for the new one.
 */
export async function writeResults(
  ctx: OperationContext,
  sent: queries.WebhookRow,
  leaseId: string,
  ended: readonly Ended[],
): Promise<Next> {
  const { row, dead, reason } = await ctx.tx(async (tx) => {
    const judged = ended.map((one) => judge(one, tx.now));
    // The endpoint is locked first, as by taking up and replaying changes, so that these transactions cannot deadlock.
    const row = await queries.findWebhook(tx, sent.id, true);
    if (row === undefined) return { row, dead: 0, reason: undefined };
    if (row.url !== sent.url) {
      await writeFormer(tx, row, leaseId, judged);
      return { row, dead: 0, reason: undefined };
    }
    await deliveries.finishAttempts(tx, row.id, leaseId, judged);
    const dead = judged.filter(({ state }) => state === "dead").length;
    const state = { ...stateAfter(row, judged, tx.now), deadToldAt: tellDead(tx, row, dead) };
    const reason = row.status === "enabled" ? reasonToDisable(state, judged, tx.now) : undefined;
    const after = reason === undefined
      ? await queries.updateWebhook(tx, row.id, state, false)
      : await disable(tx, row, state, reason);
    return { row: after, dead, reason };
  });
  ctx.deps.telemetry.metrics.webhooks.countDead(dead);
  if (reason !== undefined) logDisabled(ctx, sent.id, reason);
  if (row === undefined) return { isOpen: false, isWilling: false, isTrusted: false };
  const isWilling = row.status === "enabled" && row.throttledUntil === null;
  const isOpen = isWilling && row.version === sent.version && row.isEntitled;
  return { isOpen, isWilling, isTrusted: row.failures === 0 };
}

/** Writes results of a former URL: what it accepted is delivered, and the new URL gets all attempts at the rest. */
async function writeFormer(tx: Tx, { id }: queries.WebhookRow, leaseId: string, judged: readonly Judged[]) {
  const isDelivered = ({ outcome }: Judged) => outcome === "delivered";
  await deliveries.finishAttempts(tx, id, leaseId, judged.filter(isDelivered));
  const failed = judged.filter((one) => !isDelivered(one)).map(({ seq }) => seq);
  await deliveries.releaseDeliveries(tx, id, leaseId, failed);
}

/** The state of the endpoint after attempts. One success ends a run of failures. */
function stateAfter(row: queries.WebhookRow, judged: readonly Judged[], now: Date): queries.WebhookState {
  const failed = judged.filter(({ outcome }) => outcome !== "delivered");
  const isSuccess = failed.length < judged.length;
  const latest = Math.max(...[row, ...judged].map(({ throttledUntil }) => throttledUntil?.getTime() ?? 0));
  return {
    ...row,
    failures: isSuccess ? 0 : row.failures + failed.length,
    failingSince: isSuccess ? null : row.failingSince ?? now,
    lastSuccessAt: isSuccess ? now : row.lastSuccessAt,
    lastError: failed.at(-1)?.error ?? (isSuccess ? null : row.lastError),
    throttledUntil: latest > now.getTime() ? new Date(latest) : null,
  };
}

function reasonToDisable(
  { failingSince, failures }: queries.WebhookState,
  judged: readonly Judged[],
  now: Date,
): OwnReason | undefined {
  if (judged.some(({ outcome }) => outcome === "gone")) return "gone";
  return failingSince !== null && hasFailedTooLong(failingSince, failures, now) ? "failing" : undefined;
}

/** Writes to the feed that deliveries are dead, at most once a minute. Returns when this was last written. */
function tellDead(tx: Tx, row: queries.WebhookRow, dead: number): Date | null {
  const { deadToldAt } = row;
  if (dead === 0 || (deadToldAt !== null && tx.now.getTime() - deadToldAt.getTime() < MINUTE_MS)) return deadToldAt;
  recordWebhook(tx, row, "webhook.dead", {});
  return tx.now;
}
