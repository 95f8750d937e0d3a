/**
 * Sessions of named admins in the console. Such a session takes the place of an admin's key below `/console/api/`, for
 * the operations of admins, and in a workspace under a grant that a second admin has approved.
 */
import {
  createContext,
  type Deps,
  type OperationContext,
  type OperationRequest,
  type VerifiedAdmin,
} from "../../../context.ts";
import { sha256Hex } from "../../../crypto/hash.ts";
import { findAdmin } from "../../../db/queries/admins.ts";
import * as queries from "../../../db/queries/console_admin_sessions.ts";
import { ServiceError } from "../../../errors.ts";
import { auditTrailOf } from "../../audit/trail.ts";
import {
  type ConsoleSession,
  hashesOf,
  newCredentials,
  type SessionCredentials,
  type SignedInBy,
  WRITING_SECONDS,
} from "../console_sessions.ts";
import { refuseAddress, refusedCredentials } from "../credentials.ts";
import { authenticateAdmin, namedAdmin, systemTx } from "./authenticate.ts";
import { requireTotp } from "./totp.ts";

/** An admin's session that nobody uses for so long ends. */
const IDLE_SECONDS = 10 * 60;
/** No admin's session lasts longer. */
export const ADMIN_AGE_SECONDS = 2 * 3_600;
/** The most sessions of an admin; a further one ends the oldest. */
const OF_ADMIN_MAX = 3;
const PREFIX = "svc_console_admin_";
const FORM = /^svc_console_admin_[A-Za-z0-9_-]{43}$/;

/** Whether a cookie is that of an admin's session. */
export function isAdminSession({ token }: SessionCredentials): boolean {
  return FORM.test(token);
}

/**
 * Opens a session of a named admin, by one of the admin's keys and a one-time code, which it uses up. It only reads until
 * `setAdminWriting`.
 * @returns the cookie's value and the proof, of which only hashes are stored
 * @throws ServiceError `unauthenticated`, in the same words whatever is wrong: the key, its address, the code, or too many
 * tries; `unavailable` if the service has no key for one-time codes
 */
export async function openAdminSession(
  deps: Deps,
  request: OperationRequest & { readonly headers: Headers },
  code: string,
): Promise<SessionCredentials & { readonly session: ConsoleSession }> {
  if (deps.config.admin.totpKey === undefined) {
    throw new ServiceError("unavailable", "Cannot log in an admin: SVC_ADMIN_TOTP_KEY is not set");
  }
  return await openFor(deps, request, await proveAdmin(deps, request, code));
}

/**
 * Opens a session of a named admin for whom an issuer vouches, in the place of key and code.
 * @param name of the admin, by the issuer's rules
 * @throws ServiceError `insufficient_scope` when there is no such admin, or it is disabled
 */
export async function openSignedInAdmin(
  deps: Deps,
  request: OperationRequest,
  name: string,
  signedIn: SignedInBy,
): Promise<SessionCredentials & { readonly session: ConsoleSession }> {
  const found = await systemTx(deps, (tx) => findAdmin(tx, name), { readOnly: true });
  if (found === undefined || found.disabledAt !== null) {
    throw new ServiceError(
      "insufficient_scope",
      "Cannot open the console: there is no admin of the name that the rule gives",
    );
  }
  const { adminId, name: adminName } = found;
  const admin = namedAdmin({ adminId, adminName, keyId: null, expiresAt: null, cidrs: [] });
  return await openFor(deps, request, { ...admin, adminId }, signedIn);
}

async function openFor(
  deps: Deps,
  request: OperationRequest,
  admin: VerifiedAdmin & { readonly adminId: string },
  signedIn?: SignedInBy,
): Promise<SessionCredentials & { readonly session: ConsoleSession }> {
  const { adminId, keyId } = admin;
  const credentials = newCredentials(PREFIX);
  const expiresAt = new Date(deps.clock().getTime() + ADMIN_AGE_SECONDS * 1_000);
  await createContext(deps, admin, request).tx(async (tx) => {
    await queries.insertConsoleAdminSession(tx, { ...hashesOf(credentials), adminId, keyId, expiresAt });
    await queries.deleteOldConsoleAdminSessions(tx, adminId, OF_ADMIN_MAX);
    const detail = { expiresAt: expiresAt.toISOString(), ...(signedIn && { signedIn }) };
    const targets = keyId === null ? [adminId] : [adminId, keyId];
    tx.audit({ eventType: "console_session.created", targets, detail });
  });
  return { ...credentials, session: (await useAdminSession(deps, credentials)).session };
}

type NamedAdmin = VerifiedAdmin & { readonly adminId: string; readonly keyId: string };

/** Checks key, address and code. What was wrong stands in the audit log alone. */
async function proveAdmin(
  deps: Deps,
  request: OperationRequest & { readonly headers: Headers },
  code: string,
): Promise<NamedAdmin> {
  let admin: VerifiedAdmin | undefined;
  try {
    admin = await authenticateAdmin(deps, request.headers, request.address);
    const { adminId, keyId } = admin;
    if (adminId === null || keyId === null) throw refusedCredentials();
    refuseAddress(admin, request.address);
    await requireTotp(deps, adminId, code);
    return { ...admin, adminId, keyId };
  } catch (error) {
    if (!(error instanceof ServiceError) || (admin === undefined && error.status >= 500)) throw error;
    if (admin !== undefined) auditTrailOf(deps).noteRefusal(createContext(deps, admin, request), error.code);
    throw refusedCredentials(
      "the key and the code do not open the console (a code counts once; after five wrong ones none counts for 15 minutes)",
    );
  }
}

/** An admin's session in use. */
export interface UsedAdminSession {
  readonly admin: VerifiedAdmin;
  readonly mayWrite: boolean;
  readonly session: ConsoleSession;
}

/**
 * Finds the session of an admin's cookie. It is read from the database each time, so that it ends in all processes at once
 * when its key is revoked, its admin is disabled, or the admin logs out.
 * @throws ServiceError `unauthenticated` when there is none, or it, its key or its admin has ended
 */
export async function useAdminSession(deps: Deps, credentials: SessionCredentials): Promise<UsedAdminSession> {
  const found = isAdminSession(credentials)
    ? await systemTx(deps, (tx) => queries.useConsoleAdminSession(tx, hashesOf(credentials), IDLE_SECONDS))
    : undefined;
  if (found === undefined) throw refusedCredentials("the session of the console has ended; log in again");
  const { writesUntil, endsAt, ...key } = found;
  const mayWrite = writesUntil !== null && writesUntil > deps.clock();
  return {
    admin: namedAdmin(key),
    mayWrite,
    session: {
      writesUntil: mayWrite ? writesUntil.toISOString() : null,
      expiresAt: endsAt.toISOString(),
      idleSeconds: IDLE_SECONDS,
      admin: { id: key.adminId, name: key.adminName },
      managesKeys: true,
    },
  };
}

/** Lets an admin's session change something for a while, or ends that. */
export async function setAdminWriting(
  ctx: OperationContext,
  credentials: SessionCredentials,
  isOn: boolean,
): Promise<ConsoleSession> {
  const until = isOn ? new Date(ctx.deps.clock().getTime() + WRITING_SECONDS * 1_000) : null;
  await ctx.tx(async (tx) => {
    await queries.setConsoleAdminWriting(tx, sha256Hex(credentials.token), until);
    const detail = { writesUntil: until?.toISOString() ?? null };
    tx.audit({ eventType: "console_session.writing", targets: [adminIdOf(ctx)], detail });
  });
  return (await useAdminSession(ctx.deps, credentials)).session;
}

/** Ends an admin's session. */
export async function closeAdminSession(ctx: OperationContext, credentials: SessionCredentials): Promise<void> {
  await ctx.tx(async (tx) => {
    await queries.deleteConsoleAdminSession(tx, sha256Hex(credentials.token));
    tx.audit({ eventType: "console_session.ended", targets: [adminIdOf(ctx)] });
  });
}

function adminIdOf({ actor }: OperationContext): string {
  return actor.slice("admin:".length);
}
