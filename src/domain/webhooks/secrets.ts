/** The secrets of an endpoint: sealed in the database, at most two at a time, the newest first. */
import type { Deps } from "../../context.ts";
import { openSecret, sealSecret } from "../common/stored_secrets.ts";

/** A secret that signs the messages of an endpoint. */
export interface WebhookSecret {
  readonly secret: string;
  /** When it stops signing, RFC 3339; null: never. */
  readonly expiresAt: string | null;
}

/** The context of the sealed text, so that nobody can open it after copying it to the row of another endpoint. */
function contextFor(workspaceId: string, endpointId: string): string {
  return `webhook ${workspaceId} ${endpointId}`;
}

/** Seals the secrets of an endpoint. @throws ServiceError `unavailable` without `SVC_SECRETS_KEY` */
export function sealSecrets(
  deps: Deps,
  workspaceId: string,
  endpointId: string,
  secrets: readonly WebhookSecret[],
): string {
  return sealSecret(deps, JSON.stringify(secrets), contextFor(workspaceId, endpointId));
}

/** Opens the secrets that sign now, the newest first. @throws ServiceError `unavailable` when no key opens them */
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
