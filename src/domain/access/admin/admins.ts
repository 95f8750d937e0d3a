/**
 * Named admins and their keys. Only the command line creates them, because its user has access to the machine and its
 * secrets.
 */
import type { OperationContext } from "../../../context.ts";
import { generateApiKey } from "../../../crypto/api_key.ts";
import { isUuid, uuidv7 } from "../../../crypto/ids.ts";
import { totpUri } from "../../../crypto/totp.ts";
import * as queries from "../../../db/queries/admins.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import { createTotpSecret } from "./totp.ts";

/** @throws ServiceError `conflict` when the name is taken, also by a disabled admin. */
export async function createAdmin(ctx: OperationContext, name: string): Promise<{ adminId: string }> {
  if (name.trim() === "" || name.length > 200) {
    throw new ServiceError("validation_failed", "Cannot create the admin: the name must have 1 to 200 characters");
  }
  const adminId = uuidv7(ctx.deps.clock());
  await ctx.tx(async (tx) => {
    if (!await queries.insertAdmin(tx, adminId, name)) {
      throw new ServiceError("conflict", "Cannot create the admin: the name is taken");
    }
    tx.audit({ eventType: "admin.created", targets: [adminId], detail: { name } });
  });
  return { adminId };
}

export function listAdmins(ctx: OperationContext): Promise<queries.AdminRow[]> {
  return ctx.tx(queries.listAdmins, { readOnly: true });
}

/**
 * Sets up one-time codes for an admin and replaces earlier ones. Only the answer holds the secret
 * in clear text.
 * @throws ServiceError `not_found`, `invalid_transition` when the admin is disabled; `unavailable`
 * without SVC_ADMIN_TOTP_KEY
 */
export async function enrollTotp(ctx: OperationContext, name: string): Promise<{ adminId: string; uri: string }> {
  return await ctx.tx(async (tx) => {
    const { adminId, name: label } = await requireAdmin(tx, name);
    const { secret, sealed } = createTotpSecret(ctx.deps, adminId);
    await queries.setTotpSecret(tx, adminId, sealed);
    tx.audit({ eventType: "admin.enrolled", targets: [adminId] });
    return { adminId, uri: totpUri(secret, label) };
  });
}

/**
 * Disables an admin for good: the keys, the one-time codes, and the grants that the admin asked for.
 * @throws ServiceError `not_found`
 */
export async function disableAdmin(ctx: OperationContext, name: string): Promise<{ adminId: string }> {
  const { adminId, publicIds } = await ctx.tx(async (tx) => {
    const { adminId } = await requireAdmin(tx, name, true);
    await queries.disableAdmin(tx, adminId);
    tx.audit({ eventType: "admin.disabled", targets: [adminId] });
    return { adminId, publicIds: await queries.tellAdminKeysChanged(tx, adminId) };
  });
  for (const publicId of publicIds) ctx.deps.verifiedAdmins.evict(publicId);
  return { adminId };
}

export interface CreateAdminKeyInput {
  readonly admin: string;
  readonly name: string;
  readonly expiresAt?: Date | undefined;
  /** The address ranges from which the key may be used; default: anywhere. */
  readonly cidrs?: readonly string[] | undefined;
}

/** @throws ServiceError `not_found`, `invalid_transition` when the admin is disabled. */
export async function createAdminKey(
  ctx: OperationContext,
  { admin, name, expiresAt, cidrs = [] }: CreateAdminKeyInput,
): Promise<{ keyId: string; adminId: string; key: string }> {
  const { publicId, secret, key } = generateApiKey("mk_admin_");
  const keyId = uuidv7(ctx.deps.clock());
  const secretHash = await ctx.deps.argon2id.hash(secret, ctx.signal);
  const adminId = await ctx.tx(async (tx) => {
    const { adminId } = await requireAdmin(tx, admin);
    const row = { keyId, adminId, publicId, name, secretHash, cidrs, expiresAt: expiresAt ?? null };
    await queries.insertAdminKey(tx, row);
    const detail = { publicId, name, cidrs, expiresAt: expiresAt?.toISOString() ?? null };
    tx.audit({ eventType: "admin_key.created", targets: [keyId, adminId], detail });
    return adminId;
  });
  return { keyId, adminId, key };
}

/** @throws ServiceError `not_found` */
export async function revokeAdminKey(ctx: OperationContext, keyId: string): Promise<void> {
  const publicIds = await ctx.tx(async (tx) => {
    const adminId = isUuid(keyId) ? await queries.revokeAdminKey(tx, keyId) : undefined;
    if (adminId === undefined) throw new ServiceError("not_found", "Cannot revoke the key: there is no such key");
    tx.audit({ eventType: "admin_key.revoked", targets: [keyId, adminId] });
    return await queries.tellAdminKeysChanged(tx, adminId, keyId);
  });
  for (const publicId of publicIds) ctx.deps.verifiedAdmins.evict(publicId);
}

async function requireAdmin(tx: Tx, name: string, orDisabled = false) {
  const admin = await queries.findAdmin(tx, name);
  if (admin === undefined) throw new ServiceError("not_found", "Cannot find an admin of this name");
  if (admin.disabledAt !== null && !orDisabled) {
    throw new ServiceError("invalid_transition", "Cannot change the admin: it is disabled");
  }
  return admin;
}
