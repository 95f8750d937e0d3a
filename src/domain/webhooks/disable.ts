/** How the service disables an endpoint by itself, and whom it tells. */
import type { OperationContext } from "../../context.ts";
import * as queries from "../../db/queries/webhooks.ts";
import type { Tx } from "../../db/tx.ts";
import { webhookDisabled } from "../../telemetry/events.ts";

/** Why the service, and not a caller, disables an endpoint. */
export type OwnReason = Exclude<queries.StatusReason, "manual">;

/**
 * Disables an endpoint that the transaction has locked, and writes this to the change feed, which the workspace's other
 * endpoints are sent, and to the audit log. `logDisabled` has to follow the commit.
 */
export async function disable(
  tx: Tx,
  row: queries.WebhookRow,
  state: queries.WebhookState,
  reason: OwnReason,
): Promise<queries.WebhookRow> {
  recordWebhook(tx, row, "webhook.disabled", { reason });
  tx.audit({ eventType: "webhook.disabled", targets: [row.id], detail: { reason } });
  return await queries.updateWebhook(tx, row.id, { ...state, status: "disabled", statusReason: reason }, false);
}

/** Writes to the log which endpoint the service has disabled, and why. */
export function logDisabled({ deps, workspaceId }: OperationContext, webhookId: string, reason: OwnReason): void {
  webhookDisabled(deps.telemetry.log, { workspaceId, webhookId, reason });
}

/** Writes to the change feed what has happened to an endpoint. */
export function recordWebhook(
  tx: Tx,
  { id: resourceId, version, maxSensitivity: sensitivity }: queries.WebhookRow,
  kind: "webhook.dead" | "webhook.disabled",
  payload: Readonly<Record<string, unknown>>,
): void {
  tx.record({ kind, resourceType: "webhook", resourceId, version, sensitivity, payload });
}
