/** What attempts come to: delivered, tried again later, given up; and what that says of their endpoint. */
import type { OperationContext } from "../../context.ts";
import * as deliveries from "../../db/queries/webhook_deliveries.ts";
import * as queries from "../../db/queries/webhooks.ts";
import type { Tx } from "../../db/tx.ts";
import { webhookDisabled } from "../../telemetry/events.ts";
import { isGivenUp, judgeAttempt, type Outcome, pauseAfter, throttleMs } from "./schedule.ts";
import type { Attempt } from "./send.ts";

const MINUTE_MS = 60_000;

/** An attempt to deliver a change. */
export interface Ended {
  readonly seq: number;
  /** With this one. */
  readonly attempts: number;
  readonly attempt: Attempt;
}

interface Judged extends deliveries.FinishedAttempt {
  readonly outcome: Outcome;
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

/** Writes what attempts came to, in one transaction. Answers whether the endpoint takes further messages now. */
export async function noteEnded(
  ctx: OperationContext,
  endpointId: string,
  leaseId: string,
  ended: readonly Ended[],
): Promise<boolean> {
  const { telemetry: { log, metrics } } = ctx.deps;
  const { row, judged } = await ctx.tx(async (tx) => {
    const judged = ended.map((one) => judge(one, tx.now));
    // The endpoint first, as fan-out and replays do: they wait for each other and not in a circle.
    const row = await queries.findWebhook(tx, endpointId, true);
    if (row === undefined) return { row, judged: [] };
    await deliveries.finishAttempts(tx, endpointId, leaseId, judged);
    const state = stateAfter(row, judged, tx.now);
    const deadToldAt = tellDead(tx, row, judged);
    if (state.status === "disabled" && row.status !== "disabled") tellDisabled(tx, row, state.statusReason!);
    return { row: await queries.updateWebhook(tx, endpointId, { ...state, deadToldAt }, false), judged };
  });
  metrics.webhooks.countDead(judged.filter(({ state }) => state === "dead").length);
  if (row === undefined || row.status === "enabled") return row !== undefined && row.throttledUntil === null;
  const reason = row.statusReason!;
  if (reason !== "manual") webhookDisabled(log, { workspaceId: ctx.workspaceId, webhookId: endpointId, reason });
  return false;
}

/** What the endpoint is after attempts. One success ends what failures began. */
function stateAfter(row: queries.WebhookRow, judged: readonly Judged[], now: Date): queries.WebhookState {
  const failed = judged.filter(({ outcome }) => outcome !== "delivered");
  const isSuccess = failed.length < judged.length;
  const failures = isSuccess ? 0 : row.failures + failed.length;
  const failingSince = isSuccess ? null : row.failingSince ?? now;
  const latest = Math.max(...[row, ...judged].map(({ throttledUntil }) => throttledUntil?.getTime() ?? 0));
  const state = {
    ...row,
    failures,
    failingSince,
    lastSuccessAt: isSuccess ? now : row.lastSuccessAt,
    lastError: failed.at(-1)?.error ?? (isSuccess ? null : row.lastError),
    throttledUntil: latest > now.getTime() ? new Date(latest) : null,
  };
  if (row.status !== "enabled") return state;
  if (judged.some(({ outcome }) => outcome === "gone")) return { ...state, status: "disabled", statusReason: "gone" };
  if (failingSince !== null && isGivenUp(failingSince, failures, now)) {
    return { ...state, status: "disabled", statusReason: "failing" };
  }
  return state;
}

/** Records that something could not be delivered, at most once a minute. Answers when the feed was last told. */
function tellDead(tx: Tx, row: queries.WebhookRow, judged: readonly Judged[]): Date | null {
  const dead = judged.filter(({ state }) => state === "dead").length;
  const { deadToldAt } = row;
  if (dead === 0 || (deadToldAt !== null && tx.now.getTime() - deadToldAt.getTime() < MINUTE_MS)) return deadToldAt;
  record(tx, row, "webhook.dead", {});
  return tx.now;
}

/** Records that an endpoint is not used any more, for whoever watches and for the other endpoints. */
export function tellDisabled(tx: Tx, row: queries.WebhookRow, reason: queries.StatusReason): void {
  record(tx, row, "webhook.disabled", { reason });
  tx.audit({ eventType: "webhook.disabled", targets: [row.id], detail: { reason } });
}

function record(tx: Tx, row: queries.WebhookRow, kind: string, payload: Record<string, unknown>): void {
  const { id: resourceId, version, maxSensitivity: sensitivity } = row;
  tx.record({ kind, resourceType: "webhook", resourceId, version, sensitivity, payload });
}
