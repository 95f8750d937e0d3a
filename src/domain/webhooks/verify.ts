/** Asks a URL whether it wants messages, so that nobody can aim this service at a stranger. */
import { timingSafeEqual } from "node:crypto";
import type { OperationContext } from "../../context.ts";
import * as queries from "../../db/queries/webhooks.ts";
import { disable, logDisabled } from "./disable.ts";
import { newMessageId, toMessage } from "./message.ts";
import { VERIFY_PAUSES_MS } from "./schedule.ts";
import { type Attempt, sendMessage } from "./send.ts";

/** The service does not accept a longer answer to a challenge. */
const ANSWER_BYTES_MAX = 1_024;

/** Sends the challenge to the URL of an unverified endpoint, if it is time to. */
export async function verifyWhenDue(ctx: OperationContext, endpointId: string): Promise<void> {
  const row = await ctx.tx(async (tx) => {
    const row = await queries.findWebhook(tx, endpointId, true);
    if (row?.status !== "unverified" || row.verifyAt === null || row.verifyAt > tx.now) return undefined;
    if (!row.isEntitled) return await disable(tx, row, { ...row, verifyAt: null }, "key");
    // The time of the next challenge is written before this one is sent: it counts also if the process dies now.
    const pauseMs = VERIFY_PAUSES_MS[row.verifyAttempts];
    const verifyAt = pauseMs === undefined ? null : new Date(tx.now.getTime() + pauseMs);
    const state = { ...row, verifyAttempts: row.verifyAttempts + 1, verifyAt };
    return await queries.updateWebhook(tx, endpointId, state, false);
  });
  if (row?.status === "unverified") await verifyNow(ctx, row);
  else if (row !== undefined) logDisabled(ctx, endpointId, "key");
}

/**
 * Sends the challenge. It enables the endpoint if the URL answers 2xx and repeats the challenge, as plain text or as the
 * member `challenge` of a JSON object. A status alone proves nothing: many servers answer 200 to anything.
 */
export async function verifyNow(
  ctx: OperationContext,
  row: queries.WebhookRow,
): Promise<{ readonly attempt: Attempt; readonly isVerified: boolean }> {
  const challenge = crypto.getRandomValues(new Uint8Array(24)).toBase64({ alphabet: "base64url" });
  const at = ctx.deps.clock().toISOString();
  const data = { challenge, workspaceId: ctx.workspaceId, webhookId: row.id };
  const sent = await sendMessage(ctx, row, toMessage(newMessageId(), "webhook.verification", at, data));
  const isVerified = sent.error === null && !sent.isReplyCut && isAnswer(sent.reply, challenge);
  const attempt = isVerified || sent.error !== null ? sent : { ...sent, error: "the answer is not the challenge" };
  await ctx.tx(async (tx) => {
    const now = await queries.findWebhook(tx, row.id, true);
    // A caller may have changed the URL or deleted the endpoint since the challenge was sent.
    if (now === undefined || now.url !== row.url || now.verifiedAt !== null) return;
    if (!isVerified) {
      await queries.updateWebhook(tx, row.id, { ...now, lastError: attempt.error }, false);
      return;
    }
    const status = now.status === "unverified" ? "enabled" as const : now.status;
    const state = { ...now, status, verifiedAt: tx.now, verifyAt: null, lastError: null };
    await queries.updateWebhook(tx, row.id, state, true);
    tx.audit({ eventType: "webhook.enabled", targets: [row.id], detail: { reason: "verified" } });
  });
  return { attempt, isVerified };
}

function isAnswer(reply: Uint8Array, challenge: string): boolean {
  if (reply.length > ANSWER_BYTES_MAX) return false;
  const text = new TextDecoder().decode(reply).trim();
  return isSame(text, challenge) || isSame(readChallenge(text), challenge);
}

function readChallenge(text: string): string {
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer === "string") return answer;
    const given = (answer as { challenge?: unknown } | null)?.challenge;
    return typeof given === "string" ? given : "";
  } catch {
    return "";
  }
}

function isSame(text: string, challenge: string): boolean {
  const [a, b] = [Buffer.from(text), Buffer.from(challenge)];
  return a.length === b.length && timingSafeEqual(a, b);
}
