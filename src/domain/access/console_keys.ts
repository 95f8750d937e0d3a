/**
 * Keys that a session of the console makes in its own workspace, if it was opened at the terminal. None can do more than the
 * session itself.
 */
import type { OperationContext } from "../../context.ts";
import { ServiceError } from "../../errors.ts";
import type {
  ApiKey,
  ConsoleKeyBody,
  IssuedApiKey,
  ListConsoleKeysQuery,
  RotateApiKeyBody,
} from "../../schema/admin_key.ts";
import { isCleared, type Page } from "../../schema/common.ts";
import { getApiKey, issueApiKey, pageApiKeys, revokeApiKey, rotateApiKey } from "./admin/api_keys.ts";
import { type SessionCredentials, useConsoleSession } from "./console_sessions.ts";

/** The context of a session that may manage keys. */
export interface KeyManager {
  readonly ctx: OperationContext;
}

/** @throws ServiceError `insufficient_scope` unless the session may manage the keys of its workspace */
export async function enterKeyManagement(ctx: OperationContext, credentials: SessionCredentials): Promise<KeyManager> {
  const isKeys = ctx.actor.startsWith("key:");
  if (isKeys && (await useConsoleSession(ctx.deps, credentials)).session.managesKeys) return { ctx };
  throw new ServiceError(
    "insufficient_scope",
    "Cannot manage keys: it takes the link that the start of the service prints, or an admin's session",
  );
}

/** Lists the keys of the workspace, without secrets. */
export function listKeys({ ctx }: KeyManager, query: ListConsoleKeysQuery): Promise<Page<ApiKey>> {
  return pageApiKeys(ctx, { ...query, workspaceId: ctx.workspaceId });
}

/** Creates a key. @throws ServiceError `insufficient_scope` when it could do more than the session */
export async function createKey({ ctx }: KeyManager, body: ConsoleKeyBody): Promise<IssuedApiKey> {
  requireWithin(ctx, body);
  return await issueApiKey(ctx, { ...body, cidrs: [], rateLimit: null });
}

/**
 * Gives a key a new secret.
 * @throws ServiceError `not_found`, `invalid_transition`; `insufficient_scope` when the key can do more than the session
 */
export async function rotateKey({ ctx }: KeyManager, id: string, body: RotateApiKeyBody): Promise<IssuedApiKey> {
  requireWithin(ctx, await getApiKey(ctx, id));
  return await rotateApiKey(ctx, id, body);
}

/** Revokes a key. @throws ServiceError `not_found` */
export function revokeKey({ ctx }: KeyManager, id: string): Promise<ApiKey> {
  return revokeApiKey(ctx, id);
}

/** @throws ServiceError `insufficient_scope` when a key could do more than whoever gives it out */
export function requireWithin(ctx: OperationContext, key: Pick<ApiKey, "scopes" | "maxSensitivity">): void {
  const beyond = key.scopes.find((scope) => !ctx.scopes.has(scope)) ??
    (isCleared(key.maxSensitivity, ctx.maxSensitivity) ? undefined : `to see up to ${key.maxSensitivity}`);
  if (beyond === undefined) return;
  throw new ServiceError(
    "insufficient_scope",
    `Cannot give out the key: it has a right that the session lacks, ${beyond}`,
  );
}
