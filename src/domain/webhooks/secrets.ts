/** The secrets of an endpoint: sealed in the database, at most two at a time, the newest first. */
import type { Deps } from "../../context.ts";
import { openSecret, sealSecret } from "../common/stored_secrets.ts";

export interface WebhookSecret {
  readonly secret: string;
  /** When it ceases to sign, RFC 3339; null: it does not. */
  readonly expiresAt: string | null;
}

/** Bound to the endpoint: a text that is copied to another row opens nothing there. */
function contextFor(workspaceId: string, endpointId: string): string {
  return `webhook ${workspaceId} ${endpointId}`;
}

/** @throws ServiceError `unavailable` without `SVC_SECRETS_KEY` */
export function sealSecrets(
  deps: Deps,
  workspaceId: string,
  endpointId: string,
  secrets: readonly WebhookSecret[],
): string {
  return sealSecret(deps, JSON.stringify(secrets), contextFor(workspaceId, endpointId));
}

/** The secrets that sign now, the newest first. @throws ServiceError `unavailable` when they cannot be opened */
export function openSecrets(
  deps: Deps,
  workspaceId: string,
  endpointId: string,
  sealed: string,
): readonly WebhookSecret[] {
  const secrets: WebhookSecret[] = JSON.parse(openSecret(deps, sealed, contextFor(workspaceId, endpointId)));
  const now = deps.clock();
  return secrets.filter(({ expiresAt }) => expiresAt === null || new Date(expiresAt) > now);
}
