/** Creates, lists, changes, rotates and revokes API keys of workspaces. */
import type { OperationContext } from "../../../context.ts";
import { generateApiKey } from "../../../crypto/api_key.ts";
import { isUuid, uuidv7 } from "../../../crypto/ids.ts";
import * as queries from "../../../db/queries/api_keys.ts";
import { findWorkspace } from "../../../db/queries/workspaces.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import {
  type ApiKey,
  type CreateApiKeyBody,
  type IssuedApiKey,
  type ListApiKeysQuery,
  namedWorkspace,
  type RotateApiKeyBody,
  type UpdateApiKeyBody,
} from "../../../schema/admin_key.ts";
import { isCleared, type Page } from "../../../schema/common.ts";
import { adminOpenedWorkspace } from "../../../telemetry/events.ts";
import { decodeCursor, encodeCursor, isId, toPage } from "../../common/cursor.ts";
import { chainsOf, inWorkspace, mergePages, systemReads } from "../../common/system.ts";
import { requireVersion } from "../../unit/store.ts";
import { requireSecret } from "../identity_keys.ts";

type NewKey = Omit<CreateApiKeyBody, "workspaceId" | "workspace_id">;

/**
 * Creates a key in the context's workspace. Only the answer holds the whole key; the database stores its Argon2id hash.
 * @throws ServiceError `validation_failed` when there is no such workspace, or the expiry is in the past
 */
export async function issueApiKey(ctx: OperationContext, body: NewKey): Promise<IssuedApiKey> {
  const { deps, workspaceId } = ctx;
  const expiresAt = readExpiry(ctx, body.expiresAt);
  const generated = generateApiKey("svc_live_");
  const keyId = uuidv7(deps.clock());
  const secretHash = await deps.argon2id.hash(generated.secret, ctx.signal);
  const { name, scopes, maxSensitivity, cidrs, rateLimit } = body;
  const { row, isFirst } = await ctx.tx(async (tx) => {
    // The row is locked, so that if two keys are made at the same time, only one is the first.
    if (await findWorkspace(tx, true) === undefined) {
      throw new ServiceError("validation_failed", "Cannot create the key: there is no such workspace", {
        errors: [{ path: "workspaceId", message: "is not a workspace" }],
      });
    }
    const { publicId } = generated;
    const isFirst = !await queries.hasBeenUsed(tx);
    await queries.insertApiKey(tx, {
      ...{ keyId, publicId, name, secretHash, scopes, maxSensitivity, expiresAt, cidrs, rateLimit },
    });
    const row = await loadKey(tx, keyId);
    const detail = { publicId, ...rightsOf(row) };
    tx.audit({ eventType: "api_key.created", targets: [keyId], detail, chains: chainsOf(workspaceId) });
    if (!isFirst) tellAdminEntered(ctx, tx, "created", row);
    return { row, isFirst };
  });
  if (!isFirst) noteAdminEntered(ctx, "created", row);
  return { ...toApiKey(ctx, row), key: generated.key };
}

/** Lists keys, without secrets, the newest first unless asked otherwise. */
export async function pageApiKeys(ctx: OperationContext, query: ListApiKeysQuery): Promise<Page<ApiKey>> {
  const { limit, order } = query;
  const workspaceId = namedWorkspace(query);
  const after = decodeCursor("api_keys", order, query.cursor, isId);
  const filter = { workspaceId, order, after, limit: limit + 1 };
  const found = await ctx.deps.db.each((sql) => queries.pageApiKeys(sql, filter), systemReads(ctx));
  const rows = mergePages(found, filter, (row) => row.keyId);
  return toPage(rows, limit, (row) => toApiKey(ctx, row), (row) => encodeCursor("api_keys", order, row.keyId));
}

/** The context inside the workspace of a key. @throws ServiceError `not_found` */
export async function atKey(ctx: OperationContext, keyId: string): Promise<OperationContext> {
  const found = await ctx.deps.db.first((sql) => queries.locateApiKey(sql, keyId), systemReads(ctx));
  if (found === undefined) throw unknownKey();
  return inWorkspace(ctx, found.workspaceId);
}

/** A key of the context's workspace. @throws ServiceError `not_found` */
export async function getApiKey(ctx: OperationContext, keyId: string): Promise<ApiKey> {
  if (!isUuid(keyId)) throw unknownKey();
  return toApiKey(ctx, await ctx.tx((tx) => loadKey(tx, keyId), { readOnly: true }));
}

/**
 * Changes what a key may do, from the commit on and in every process.
 * @throws ServiceError `not_found`, `version_mismatch`; `validation_failed`; `invalid_transition` when it is revoked, and for
 *   the expiry of a key that stands for tokens
 */
export async function updateApiKey(
  ctx: OperationContext,
  keyId: string,
  body: UpdateApiKeyBody,
  ifMatch: number | undefined,
): Promise<ApiKey> {
  const { expiresAt, ...rest } = body;
  const expiry = expiresAt === undefined ? {} : { expiresAt: readExpiry(ctx, expiresAt) };
  return await changeKey(ctx, keyId, { eventType: "api_key.updated", opens: "widened" }, async (tx, row) => {
    requireVersion(row, ifMatch);
    requireUnrevoked(row);
    if (expiresAt !== undefined) await requireSecret(tx, keyId, "change the expiry");
    const rights: queries.KeyRights = { ...row, ...rest, ...expiry };
    await queries.updateApiKey(tx, keyId, rights);
    const detail = { changed: Object.keys(body).sort(), ...rightsOf(rights) };
    return { detail, isOpening: isWider(row, rights) };
  });
}

/**
 * Gives a key a new secret. The previous one stays valid for the overlap, with the same rights; so do those that were rotated
 * out before it, but no longer than their own overlaps. With an overlap of 0 nothing but the new secret counts.
 * @throws ServiceError `not_found`; `invalid_transition` when it is revoked, or stands for tokens
 */
export async function rotateApiKey(
  ctx: OperationContext,
  keyId: string,
  { overlapSeconds }: RotateApiKeyBody,
): Promise<IssuedApiKey> {
  const generated = generateApiKey("svc_live_");
  const { publicId } = generated;
  const secretHash = await ctx.deps.argon2id.hash(generated.secret, ctx.signal);
  const rotated = await changeKey(ctx, keyId, { eventType: "api_key.rotated", opens: "rotated" }, async (tx, row) => {
    requireUnrevoked(row);
    await requireSecret(tx, keyId, "rotate the secret");
    const until = overlapSeconds === 0 ? undefined : new Date(tx.now.getTime() + overlapSeconds * 1_000);
    await queries.replaceSecret(tx, keyId, { publicId, secretHash }, until);
    const detail = { publicId, formerPublicId: row.publicId, formerValidUntil: until?.toISOString() ?? null };
    return { detail, isOpening: true };
  });
  return { ...rotated, key: generated.key };
}

/**
 * Revokes a key with all its secrets; every process refuses it as soon as the notification arrives, and within 60 s in
 * any case.
 * @throws ServiceError `not_found`
 */
export async function revokeApiKey(ctx: OperationContext, keyId: string): Promise<ApiKey> {
  return await changeKey(ctx, keyId, { eventType: "api_key.revoked" }, async (tx, row) => {
    await queries.revokeApiKey(tx, keyId);
    return { detail: { publicId: row.publicId, alreadyRevoked: row.revokedAt !== null }, isOpening: false };
  });
}

interface KeyChange {
  /** The details for the audit chains. */
  readonly detail: Record<string, unknown>;
  /** Whoever asked can do more in the workspace than before. */
  readonly isOpening: boolean;
}

/** Changes a key under its lock, notifies every process and records it in both audit chains. */
async function changeKey(
  ctx: OperationContext,
  keyId: string,
  { eventType, opens }: { readonly eventType: string; readonly opens?: AdminEntry },
  change: (tx: Tx, row: queries.ApiKeyListed) => Promise<KeyChange>,
): Promise<ApiKey> {
  if (!isUuid(keyId)) throw unknownKey();
  const { publicIds, row, entry } = await ctx.tx(async (tx) => {
    const before = await loadKey(tx, keyId, true);
    // Read before the change, because a secret that the change removes must be forgotten, too.
    const publicIds = await queries.tellKeyChanged(tx, keyId);
    const { detail, isOpening } = await change(tx, before);
    tx.audit({ eventType, targets: [keyId], detail, chains: chainsOf(ctx.workspaceId) });
    const row = await loadKey(tx, keyId);
    const entry = isOpening ? opens : undefined;
    if (entry !== undefined) tellAdminEntered(ctx, tx, entry, row);
    return { publicIds, row, entry };
  });
  if (entry !== undefined) noteAdminEntered(ctx, entry, row);
  for (const publicId of publicIds) ctx.deps.verifiedKeys.evict(publicId);
  return toApiKey(ctx, row);
}

/** How an admin got a key, more rights by one, or a token, in a workspace that is in use. */
type AdminEntry = "created" | "rotated" | "widened" | "token";
/** What an admin enters by: a key, or the key that stands behind a token. */
type Entered = queries.KeyRights & Pick<queries.ApiKeyListed, "keyId" | "publicId">;

/**
 * Whether an admin makes the request with a bearer token. The command line does not count: who runs it can reach the
 * database anyway.
 */
function isAdmins({ actor }: OperationContext): boolean {
  return actor.startsWith("admin:");
}

/**
 * Tells the workspace that an admin can enter it. A key that an admin made, gave a new secret or
 * widened opens the workspace without a second admin. The workspace's chain records this as an
 * event of its own, so that nobody has to find it among those of keys.
 */
function tellAdminEntered(ctx: OperationContext, tx: Tx, how: AdminEntry, row: Entered): void {
  if (!isAdmins(ctx)) return;
  const { keyId, publicId } = row;
  const detail = { how, keyId, publicId, ...rightsOf(row) };
  tx.audit({
    eventType: "admin.opened_workspace",
    targets: [ctx.workspaceId],
    detail,
    chains: chainsOf(ctx.workspaceId),
  });
}

/** Logs the same for the operators of the service, after the commit. */
function noteAdminEntered(ctx: OperationContext, how: AdminEntry, row: Entered): void {
  if (!isAdmins(ctx)) return;
  const { telemetry: { metrics, log } } = ctx.deps;
  metrics.countAdminEntry(how);
  adminOpenedWorkspace(log, {
    requestId: ctx.requestId,
    actor: ctx.actor,
    workspaceId: ctx.workspaceId,
    how,
    keyId: row.keyId,
  });
}

/** Records that an admin gets a token of the context's workspace, before it is given; of others it records nothing. */
export async function recordAdminToken(ctx: OperationContext, row: Entered): Promise<void> {
  if (!isAdmins(ctx)) return;
  await ctx.tx((tx) => Promise.resolve(tellAdminEntered(ctx, tx, "token", row)));
  noteAdminEntered(ctx, "token", row);
}

/** Whether a key may do more than before: another scope, higher clearance, more addresses or a later expiry. */
function isWider(before: queries.KeyRights, after: queries.KeyRights): boolean {
  const isMore = <T>(a: readonly T[], b: readonly T[]) => b.some((one) => !a.includes(one));
  return isMore(before.scopes, after.scopes) || !isCleared(after.maxSensitivity, before.maxSensitivity) ||
    (before.cidrs.length > 0 && (after.cidrs.length === 0 || isMore(before.cidrs, after.cidrs))) ||
    (before.expiresAt !== null && (after.expiresAt === null || after.expiresAt > before.expiresAt));
}

async function loadKey(tx: Tx, keyId: string, lock = false): Promise<queries.ApiKeyListed> {
  const row = await queries.findListedKey(tx, keyId, lock);
  if (row === undefined) throw unknownKey();
  return row;
}

function unknownKey(): ServiceError {
  return new ServiceError("not_found", "Cannot find the key");
}

function requireUnrevoked(row: queries.ApiKeyListed): void {
  if (row.revokedAt === null) return;
  throw new ServiceError("invalid_transition", "Cannot change the key: it is revoked");
}

/** @throws ServiceError `validation_failed` for a time in the past. */
export function readExpiry(ctx: OperationContext, text: string | null): Date | null {
  if (text === null) return null;
  const expiresAt = new Date(text);
  if (expiresAt > ctx.deps.clock()) return expiresAt;
  throw new ServiceError("validation_failed", "Cannot accept the request: expiresAt is not in the future", {
    errors: [{ path: "expiresAt", message: "must be in the future" }],
  });
}

/** A key's rights as the audit log records them. */
function rightsOf({ name, scopes, maxSensitivity, cidrs, rateLimit, expiresAt }: queries.KeyRights) {
  return { name, scopes, maxSensitivity, cidrs, rateLimit, expiresAt: expiresAt?.toISOString() ?? null };
}

function toApiKey(ctx: OperationContext, row: queries.ApiKeyListed): ApiKey {
  const { formerValidUntil: until } = row;
  return {
    id: row.keyId,
    version: row.version,
    publicId: row.publicId,
    workspaceId: row.workspaceId,
    name: row.name,
    scopes: [...row.scopes],
    maxSensitivity: row.maxSensitivity,
    cidrs: [...row.cidrs],
    rateLimit: row.rateLimit === null ? null : { ...row.rateLimit },
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    revokedAt: row.revokedAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    formerValidUntil: until !== null && row.revokedAt === null && until > ctx.deps.clock() ? until.toISOString() : null,
  };
}
