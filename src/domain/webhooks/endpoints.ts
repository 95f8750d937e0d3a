/** Endpoints of webhooks: creating, listing, changing and deleting them, and rotating their secrets. */
import type { OperationContext } from "../../context.ts";
import { isUuid, uuidv7 } from "../../crypto/ids.ts";
import { generateWebhookSecret, webhookPublicKey } from "../../crypto/standard_webhook.ts";
import { readFeedHead } from "../../db/queries/changes.ts";
import { skipForbidden, skipPending } from "../../db/queries/webhook_deliveries.ts";
import { lockNames } from "../../db/queries/units.ts";
import * as queries from "../../db/queries/webhooks.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import { OutboundError } from "../../outbound/failure.ts";
import { isCleared, type ListQuery } from "../../schema/common.ts";
import type {
  CreateWebhookBody,
  IssuedWebhook,
  RotateWebhookBody,
  UpdateWebhookBody,
  Webhook,
  WebhookPage,
} from "../../schema/webhook.ts";
import { decodeCursor, encodeCursor, isId, toPage } from "../common/cursor.ts";
import { cursorAt, readSince, requireReached } from "../feed/changes.ts";
import { requireVersion } from "../unit/store.ts";
import { requireClearance, requireRights, takesOver } from "./rights.ts";
import { openSecrets, sealSecrets, type WebhookSecret } from "./secrets.ts";
import { partyOf, URL_RULES } from "./send.ts";
import { webhookSenderOf } from "./sender.ts";
import { receivingOf } from "./take_up.ts";

const ENDPOINTS_MAX = 20;

/**
 * Creates an endpoint; the worker asks its URL for consent at once. The secret is in the reply and, sealed, in the database.
 * @throws ServiceError `validation_failed`; `insufficient_scope`, see `requireRights`; `conflict` when the workspace has as
 *   many as it may; `unavailable` without `SVC_SECRETS_KEY`
 */
export async function createWebhook(ctx: OperationContext, body: CreateWebhookBody): Promise<IssuedWebhook> {
  const { deps, workspaceId } = ctx;
  const { url, description, kinds, maxSensitivity, ratePerMinute } = body;
  requireUrl(ctx, url);
  requireClearance(ctx, maxSensitivity);
  const { keyId, withTasks } = requireRights(ctx, kinds);
  const since = body.since === undefined ? undefined : readSince(workspaceId, body.since);
  const id = uuidv7(deps.clock());
  const secret = generateWebhookSecret();
  const secrets = sealSecrets(deps, workspaceId, id, [{ secret, expiresAt: null }]);
  const row = await ctx.tx(async (tx) => {
    // If two callers create an endpoint at once, the second one counts the first one's.
    await lockNames(tx, ["webhooks"]);
    if (await queries.countWebhooks(tx) >= ENDPOINTS_MAX) {
      throw new ServiceError("conflict", `Cannot create the webhook: the workspace already has ${ENDPOINTS_MAX}`);
    }
    const head = await readFeedHead(tx);
    if (since !== undefined) requireReached(since, head);
    const row = await queries.insertWebhook(tx, {
      ...{ id, url, description, kinds, maxSensitivity, withTasks, keyId, ratePerMinute, secrets },
      cursorSeq: since ?? head,
    });
    tx.audit({ eventType: "webhook.created", targets: [id], detail: { host: hostOf(url), kinds, maxSensitivity } });
    return row;
  });
  webhookSenderOf(deps).wake();
  return { ...toWebhook(ctx, row), secret };
}

/** Lists the endpoints that the key is cleared for, without secrets, the newest first unless asked otherwise. */
export async function listWebhooks(ctx: OperationContext, query: ListQuery): Promise<WebhookPage> {
  const { limit, order } = query;
  const after = decodeCursor("webhooks", order, query.cursor, isId);
  const rows = await ctx.tx((tx) => queries.listWebhooks(tx, { order, after, limit: limit + 1 }), { readOnly: true });
  return toPage(rows, limit, (row) => toWebhook(ctx, row), ({ id }) => encodeCursor("webhooks", order, id));
}

/** Reads an endpoint. @throws ServiceError `not_found` */
export async function getWebhook(ctx: OperationContext, id: string): Promise<Webhook> {
  return toWebhook(ctx, await ctx.tx((tx) => loadWebhook(tx, id), { readOnly: true }));
}

/**
 * Changes an endpoint. A new URL gets nothing but the challenge until it has given its consent.
 * @throws ServiceError `not_found`, `version_mismatch`, `validation_failed`; `insufficient_scope`, see `requireRights`
 */
export async function updateWebhook(
  ctx: OperationContext,
  id: string,
  body: UpdateWebhookBody,
  ifMatch: number | undefined,
): Promise<Webhook> {
  const { url, skipTo, maxSensitivity } = body;
  if (url !== undefined) requireUrl(ctx, url);
  if (maxSensitivity !== undefined) requireClearance(ctx, maxSensitivity);
  const rights = takesOver(body) ? requireRights(ctx, body.kinds ?? []) : undefined;
  const { row, before } = await ctx.tx(async (tx) => {
    const before = await loadWebhook(tx, id, true);
    requireVersion(before, ifMatch);
    // The key that takes over can narrow what is sent, but never widen it to changes that the creator could not read.
    const taken = rights && { keyId: rights.keyId, withTasks: before.withTasks && rights.withTasks };
    const state = { ...changed(before, body, tx.now), ...taken };
    const isSkipping = skipTo === "now";
    const cursorSeq = isSkipping ? await readFeedHead(tx) : before.cursorSeq;
    const skipped = isSkipping ? await skipPending(tx, id) : 0;
    const row = await queries.updateWebhook(tx, id, { ...state, cursorSeq }, true);
    const isNarrower = !isCleared(before.maxSensitivity, row.maxSensitivity) || before.withTasks !== row.withTasks;
    if (isNarrower) await skipForbidden(tx, receivingOf(row));
    const isOff = row.status === "disabled" && before.status !== "disabled";
    const isOn = row.status === "enabled" && before.status !== "enabled";
    tx.audit({
      eventType: isOff ? "webhook.disabled" : isOn ? "webhook.enabled" : "webhook.updated",
      targets: [id],
      detail: { changed: Object.keys(body).sort(), host: hostOf(row.url), ...(isSkipping && { skipped }) },
    });
    return { row, before };
  });
  if (row.url !== before.url || row.status !== "enabled") {
    ctx.deps.outbound.closeParty(partyOf(ctx.workspaceId, id));
  }
  webhookSenderOf(ctx.deps).wake();
  return toWebhook(ctx, row);
}

/** The state of an endpoint after a caller's change. Enabling it clears its record of failures. */
function changed(row: queries.WebhookRow, body: UpdateWebhookBody, now: Date): queries.WebhookState {
  const { url = row.url, description = row.description, kinds = row.kinds, status } = body;
  const { maxSensitivity = row.maxSensitivity, ratePerMinute = row.ratePerMinute } = body;
  const state = { ...row, url, description, kinds, maxSensitivity, ratePerMinute };
  const fresh = { failures: 0, failingSince: null, throttledUntil: null, lastError: null, statusReason: null };
  const asked = { verifiedAt: null, verifyAttempts: 0, verifyAt: now };
  const isOther = url !== row.url;
  const isOff = (status ?? (row.status === "disabled" ? "disabled" : "enabled")) === "disabled";
  if (isOff) {
    const statusReason = row.status === "disabled" && status === undefined ? row.statusReason : "manual" as const;
    return {
      ...state,
      ...(isOther && { verifiedAt: null, verifyAttempts: 0 }),
      verifyAt: null,
      status: "disabled",
      statusReason,
    };
  }
  if (isOther || row.verifiedAt === null) {
    const isAsked = isOther || status === "enabled";
    return { ...state, ...(isAsked && { ...fresh, ...asked }), status: "unverified" };
  }
  return { ...state, ...(status === "enabled" && fresh), status: "enabled" };
}

/** Deletes an endpoint with its deliveries; answers the endpoint as it was. @throws ServiceError `not_found` */
export async function deleteWebhook(ctx: OperationContext, id: string, ifMatch: number | undefined): Promise<Webhook> {
  const row = await ctx.tx(async (tx) => {
    const row = await loadWebhook(tx, id, true);
    requireVersion(row, ifMatch);
    await queries.deleteWebhook(tx, id);
    tx.audit({ eventType: "webhook.deleted", targets: [id], detail: { host: hostOf(row.url) } });
    return row;
  });
  ctx.deps.outbound.closeParty(partyOf(ctx.workspaceId, id));
  return toWebhook(ctx, row);
}

/**
 * Gives an endpoint a new secret. The former secret signs as well until the overlap is over.
 * @throws ServiceError `not_found`; `conflict` while a former secret still signs; `unavailable` when the secrets cannot be
 *   opened
 */
export async function rotateWebhookSecret(
  ctx: OperationContext,
  id: string,
  { overlapSeconds }: RotateWebhookBody,
): Promise<IssuedWebhook> {
  const { deps, workspaceId } = ctx;
  const secret = generateWebhookSecret();
  const row = await ctx.tx(async (tx) => {
    const row = await loadWebhook(tx, id, true);
    const [current, former] = openSecrets(deps, workspaceId, id, row.secrets);
    if (former !== undefined) {
      throw new ServiceError(
        "conflict",
        `Cannot rotate the secret: the former secret still signs, until ${former.expiresAt}`,
      );
    }
    const expiresAt = new Date(tx.now.getTime() + overlapSeconds * 1_000).toISOString();
    const kept: readonly WebhookSecret[] = overlapSeconds === 0 || current === undefined
      ? []
      : [{ secret: current.secret, expiresAt }];
    const secrets = sealSecrets(deps, workspaceId, id, [{ secret, expiresAt: null }, ...kept]);
    tx.audit({ eventType: "webhook.rotated", targets: [id], detail: { overlapSeconds } });
    return await queries.updateWebhook(tx, id, { ...row, secrets }, true);
  });
  return { ...toWebhook(ctx, row), secret };
}

/** Finds an endpoint of the workspace that the transaction sees. @throws ServiceError `not_found` */
export async function loadWebhook(tx: Tx, id: string, lock = false): Promise<queries.WebhookRow> {
  const row = isUuid(id) ? await queries.findWebhook(tx, id, lock) : undefined;
  if (row === undefined) throw new ServiceError("not_found", "Cannot find the webhook");
  return row;
}

/** @throws ServiceError `validation_failed` when the service may not call the URL */
function requireUrl(ctx: OperationContext, url: string): void {
  try {
    ctx.deps.outbound.parse(url, URL_RULES);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const errors = [{ path: "url", message: error.message }];
    throw new ServiceError("validation_failed", "Cannot use the URL", { errors, cause: error });
  }
}

/** The part of a URL for the audit log: only its host, because its path and query may hold secrets. */
function hostOf(url: string): string {
  return new URL(url).host;
}

/** An endpoint as callers see it. */
function toWebhook({ deps, workspaceId }: OperationContext, row: queries.WebhookRow): Webhook {
  const { id, version, url, description, kinds, status, statusReason, maxSensitivity, withTasks, ratePerMinute } = row;
  const { lastError, createdBy } = row;
  const time = (at: Date | null) => at?.toISOString() ?? null;
  return {
    ...{ id, version, url, description, kinds: [...kinds], status, statusReason, maxSensitivity, withTasks },
    ratePerMinute,
    publicKey: deps.signingKey === undefined ? null : webhookPublicKey(deps.signingKey),
    cursor: cursorAt(workspaceId, row.cursorSeq),
    verifiedAt: time(row.verifiedAt),
    failingSince: time(row.failingSince),
    lastSuccessAt: time(row.lastSuccessAt),
    lastError,
    throttledUntil: time(row.throttledUntil),
    createdBy,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
