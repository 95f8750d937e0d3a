/**
 * Decides whose rights a webhook has. A key answers for each webhook: the one that created it, or the one that last
 * changed where it sends or what it sends, or enabled it. The webhook is sent only what this key may read, and nothing
 * once the key is revoked, has expired or has lost a right that the webhook needs.
 */
import type { OperationContext } from "../../context.ts";
import { WEBHOOK_SCOPES } from "../../db/queries/webhooks.ts";
import { ServiceError } from "../../errors.ts";
import { isCleared, type Sensitivity } from "../../schema/common.ts";
import type { UpdateWebhookBody } from "../../schema/webhook.ts";
import { missingTaskScope, seesTasks } from "../common/task_scope.ts";
import { isTaskKind } from "../feed/changes.ts";

const KEY_ACTOR = "key:";

/** The members of a change after which the key of the caller answers for the webhook. */
export function takesOver({ url, kinds, maxSensitivity, status }: UpdateWebhookBody): boolean {
  return url !== undefined || kinds !== undefined || maxSensitivity !== undefined || status === "enabled";
}

/**
 * Returns who is responsible for the webhook: the id of the caller's key, or null for the command line; and whether the
 * caller may read changes of tasks and events.
 * @throws ServiceError `insufficient_scope` when the caller cannot read the feed, names kinds of tasks or events without
 *   the scope for them, or is an admin with a grant that ends
 */
export function requireRights(
  ctx: OperationContext,
  kinds: readonly string[],
): { readonly keyId: string | null; readonly withTasks: boolean } {
  const missing = WEBHOOK_SCOPES.find((scope) => !ctx.scopes.has(scope));
  if (missing !== undefined) {
    throw new ServiceError("insufficient_scope", `Cannot send changes to a URL: the key lacks the scope ${missing}`);
  }
  const withTasks = seesTasks(ctx);
  if (!withTasks && kinds.some(isTaskKind)) throw missingTaskScope();
  if (ctx.token !== undefined) {
    throw new ServiceError("insufficient_scope", "Cannot send changes to a URL: the webhook would outlast the token");
  }
  if (ctx.actor.startsWith(KEY_ACTOR)) return { keyId: ctx.actor.slice(KEY_ACTOR.length), withTasks };
  if (ctx.actor === "cli") return { keyId: null, withTasks };
  throw new ServiceError("insufficient_scope", "Cannot send changes to a URL: the webhook would outlast the grant");
}

/** @throws ServiceError `validation_failed` when the caller wants the webhook to be sent more than the caller may see */
export function requireClearance(ctx: OperationContext, wanted: Sensitivity): void {
  if (isCleared(wanted, ctx.maxSensitivity)) return;
  const errors = [{ path: "maxSensitivity", message: `must be at most ${ctx.maxSensitivity}, the key's clearance` }];
  throw new ServiceError("validation_failed", "Cannot send more than the key may see", { errors });
}
