/** One attempt to send a message to an endpoint. */
import deno from "../../../deno.json" with { type: "json" };
import type { OperationContext } from "../../context.ts";
import { webhookHeaders } from "../../crypto/standard_webhook.ts";
import type { WebhookRow } from "../../db/queries/webhooks.ts";
import { HOST_REFUSED, OutboundError, shownReason } from "../../outbound/failure.ts";
import { webhookHostRefused } from "../../telemetry/events.ts";
import type { Message } from "./message.ts";
import { type Attempted, judgeAttempt } from "./schedule.ts";
import { openSecrets } from "./secrets.ts";

const DEADLINE_MS = 15_000;
const REPLY_BYTES_MAX = 16_384;
const SHOWN_BYTES_MAX = 512;
/** The most messages that are on their way to one endpoint at once. */
export const LANES_MAX = 4;

/** `http:` URLs are accepted; the outbound client sends them only to addresses that the operator allows. */
export const URL_RULES = { allowsHttp: true } as const;

/** How an attempt ended. */
export interface Attempt {
  readonly attempted: Attempted;
  /** The status of the reply; null: no reply came. */
  readonly status: number | null;
  /** Why the attempt failed; null: it succeeded. */
  readonly error: string | null;
  readonly durationMs: number;
  /** The beginning of the reply's body. */
  readonly reply: Uint8Array;
  readonly isReplyCut: boolean;
}

/** The name under which the outbound client keeps the connections of an endpoint. */
export function partyOf(workspaceId: string, endpointId: string): string {
  return `webhook ${workspaceId} ${endpointId}`;
}

/**
 * Signs a message with the current time and sends it. Whatever the receiver does, the promise resolves with an attempt.
 * @throws ServiceError `unavailable` when the secrets cannot be opened
 */
export async function sendMessage(
  ctx: OperationContext,
  { id: endpointId, url, secrets }: Pick<WebhookRow, "id" | "url" | "secrets">,
  { id, body }: Message,
): Promise<Attempt> {
  const { deps, workspaceId } = ctx;
  const valid = openSecrets(deps, workspaceId, endpointId, secrets).map(({ secret }) => secret);
  const timestamp = Math.floor(deps.clock().getTime() / 1_000);
  const began = performance.now();
  const ended = (rest: Pick<Attempt, "attempted" | "status" | "error"> & Partial<Attempt>): Attempt => {
    const durationMs = Math.round(performance.now() - began);
    deps.telemetry.metrics.webhooks.observeAttempt(resultOf(rest.attempted), durationMs);
    return { durationMs, reply: new Uint8Array(), isReplyCut: false, ...rest };
  };
  try {
    const { status, headers, body: reply, isCut: isReplyCut } = await deps.outbound.request({
      use: "webhook",
      method: "POST",
      url,
      headers: {
        "content-type": "application/json",
        "user-agent": `svc-webhooks/${deno.version}`,
        ...webhookHeaders({ id, timestamp, body }, valid, deps.signingKey),
      },
      body,
      replyBytesMax: REPLY_BYTES_MAX,
      isBeginningEnough: true,
      deadlineMs: DEADLINE_MS,
      party: partyOf(workspaceId, endpointId),
      connectionsMax: LANES_MAX,
      rules: URL_RULES,
      // The message may arrive twice; the receiver recognises it by its id.
      isRepeatable: true,
      signal: ctx.signal,
    });
    const error = status >= 200 && status < 300 ? null : `status ${status}`;
    return ended({ attempted: { status, headers }, status, error, reply, isReplyCut });
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const reason = shownReason(error);
    if (reason !== HOST_REFUSED) return ended({ attempted: { reason }, status: null, error: reason });
    webhookHostRefused(deps.telemetry.log, { workspaceId, webhookId: endpointId, reason: error.reason });
    // The time of the look-up would tell the one from the other.
    return ended({ attempted: { reason }, status: null, error: reason, durationMs: 0 });
  }
}

function resultOf(attempted: Attempted): string {
  if ("reason" in attempted) return /_refused$/.test(attempted.reason) ? "refused" : "failed";
  const outcome = judgeAttempt(attempted);
  return outcome === "delivered" || outcome === "throttled" ? outcome : "failed";
}

/** The beginning of a reply as text for people, without control characters. */
export function toShownReply(reply: Uint8Array): string {
  return new TextDecoder().decode(reply.subarray(0, SHOWN_BYTES_MAX)).replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}]/gu, " ");
}
