/**
 * The keys by which holders of tokens act. An issuer vouches for a person and a client; in each workspace such an identity
 * has one key, whose secret nobody has. By it changes have an author, limits hold, and an admin who revokes it shuts the
 * identity out in all processes at once, whatever tokens its issuer still issues.
 */
import {
  createContext,
  type Deps,
  type OperationContext,
  type PresentedToken,
  type VerifiedKey,
} from "../../context.ts";
import { generateApiKey } from "../../crypto/api_key.ts";
import { uuidv7 } from "../../crypto/ids.ts";
import * as apiKeys from "../../db/queries/api_keys.ts";
import * as queries from "../../db/queries/token_identities.ts";
import { findWorkspace } from "../../db/queries/workspaces.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import type { Scope } from "../../schema/scopes.ts";
import { chainsOf } from "../common/system.ts";
import { leastSensitive } from "../unit/trust.ts";
import { isExpired } from "./credentials.ts";
import { refusedToken } from "./token_issuer.ts";

type Identity = queries.TokenIdentity;
type Granted = queries.GrantedRights;

/** An identity that nobody uses for so long ends with what it left behind, until it comes again. */
const UNUSED_DAYS = 30;
const DAY_MS = 86_400_000;

/** The key of an identity, as the database has it now. */
export interface IdentityKey extends Omit<VerifiedKey, "token" | "recheck"> {
  readonly credential: string;
}

/**
 * Finds the key of an identity in a workspace, and makes it when the identity comes for the first time. It has what the
 * configuration grants, less what an admin has taken from it.
 * @throws ServiceError `unauthenticated` when there is no such workspace, or the key was revoked
 */
export async function openIdentityKey(
  deps: Deps,
  workspaceId: string,
  identity: Identity,
  granted: Granted,
): Promise<IdentityKey> {
  const ctx = contextOf(deps, workspaceId, identity);
  const known = await ctx.tx((tx) => find(tx, identity), { readOnly: true });
  const isDue = known?.row.revokedAt === null &&
    (!isSameGrant(known.granted, granted) ||
      endFrom(deps.clock()).getTime() - (known.expiresAt?.getTime() ?? 0) > DAY_MS);
  const found = known === undefined
    ? await makeKey(ctx, identity, granted)
    : isDue
    ? await renewKey(ctx, identity, granted)
    : known;
  if (found === undefined) throw refusedToken("names a workspace that is not here");
  const { row, publicId } = found;
  if (row.revokedAt !== null || isExpired(row, deps.clock())) {
    throw refusedToken("stands for a key of this service that was revoked");
  }
  await deps.db.system((sql) => apiKeys.touchApiKey(sql, publicId), { at: workspaceId });
  return {
    actor: `key:${row.keyId}`,
    credential: publicId,
    workspaceId,
    scopes: new Set(row.scopes).intersection(new Set(granted.scopes)),
    maxSensitivity: leastSensitive(row.maxSensitivity, granted.maxSensitivity),
    region: row.region,
    expiresAt: row.expiresAt,
    cidrs: row.cidrs,
    rateLimit: row.rateLimit,
    isSuspended: row.isSuspended,
  };
}

/** Refuses what a key without a secret cannot have. @throws ServiceError `invalid_transition` */
export async function requireSecret(tx: Tx, keyId: string, what: string): Promise<void> {
  if (!await queries.standsForTokens(tx, keyId)) return;
  throw new ServiceError(
    "invalid_transition",
    `Cannot ${what} of the key: it stands for tokens of an issuer and follows them`,
  );
}

interface Found extends queries.TokenIdentityRow {
  readonly row: apiKeys.ApiKeyRow;
}

async function find(tx: Tx, identity: Identity): Promise<Found | undefined> {
  const found = await queries.findTokenIdentity(tx, identity);
  const row = found && await apiKeys.findApiKey(tx.sql, found.publicId);
  return row && { ...found, row };
}

function contextOf(deps: Deps, workspaceId: string, { issuer, subject, client }: Identity): OperationContext {
  const token: PresentedToken = { issuer, subject, client: client === "" ? undefined : client, resource: "all" };
  const principal = { actor: "system:access", workspaceId, scopes: new Set<Scope>(), token } as const;
  const request = { requestId: uuidv7(deps.clock()), operationId: "acceptToken", signal: deps.stopping };
  return createContext(deps, { ...principal, maxSensitivity: "restricted" }, request);
}

/** The time until which an identity that comes now counts. */
function endFrom(now: Date): Date {
  return new Date(now.getTime() + UNUSED_DAYS * DAY_MS);
}

function isSameGrant(a: Granted, b: Granted): boolean {
  return a.name === b.name && a.maxSensitivity === b.maxSensitivity && a.scopes.length === b.scopes.length &&
    b.scopes.every((scope) => a.scopes.includes(scope));
}

/** Makes the key of an identity at its first token. @returns undefined when the workspace does not exist */
async function makeKey(ctx: OperationContext, identity: Identity, granted: Granted): Promise<Found | undefined> {
  const { publicId, secret } = generateApiKey("svc_live_");
  // The secret itself is kept nowhere.
  const secretHash = await ctx.deps.argon2id.hash(secret);
  return await ctx.tx(async (tx) => {
    // The row is locked, so that of two processes only one makes the key.
    if (await findWorkspace(tx, true) === undefined) return undefined;
    if (await queries.findTokenIdentity(tx, identity) === undefined) {
      const keyId = uuidv7(tx.now);
      const key = { ...granted, keyId, publicId, secretHash, expiresAt: endFrom(tx.now), cidrs: [], rateLimit: null };
      await apiKeys.insertApiKey(tx, key);
      await queries.putTokenIdentity(tx, identity, { keyId, granted });
      tell(tx, "api_key.created", keyId, { publicId, ...granted });
    }
    return await find(tx, identity);
  });
}

/** Moves the expiry of the key, and writes to it the rights that the configuration grants now, if they have changed. */
async function renewKey(ctx: OperationContext, identity: Identity, granted: Granted): Promise<Found | undefined> {
  const { publicIds, found } = await ctx.tx(async (tx) => {
    const before = await queries.findTokenIdentity(tx, identity);
    const key = before && await apiKeys.findListedKey(tx, before.keyId, true);
    if (before === undefined || key === undefined || key.revokedAt !== null) {
      return { publicIds: [], found: await find(tx, identity) };
    }
    const { keyId } = before;
    await queries.extendIdentityKey(tx, keyId, endFrom(tx.now));
    if (isSameGrant(before.granted, granted)) return { publicIds: [], found: await find(tx, identity) };
    const rights = lessTaken(key, before.granted, granted);
    await apiKeys.updateApiKey(tx, keyId, { ...key, ...rights, expiresAt: endFrom(tx.now) });
    await queries.putTokenIdentity(tx, identity, { keyId, granted });
    tell(tx, "api_key.updated", keyId, { changed: ["maxSensitivity", "name", "scopes"], ...rights });
    return { publicIds: await apiKeys.tellKeyChanged(tx, keyId), found: await find(tx, identity) };
  });
  for (const publicId of publicIds) ctx.deps.verifiedKeys.evict(publicId);
  return found;
}

/**
 * What is granted now, less what an admin has taken from what was granted before. The name may be the person's own word: a new
 * one gives nothing back.
 */
function lessTaken(key: apiKeys.KeyRights, before: Granted, granted: Granted): Granted {
  const isLowered = leastSensitive(key.maxSensitivity, before.maxSensitivity) !== before.maxSensitivity;
  return {
    name: key.name === before.name ? granted.name : key.name,
    scopes: granted.scopes.filter((scope) => key.scopes.includes(scope) || !before.scopes.includes(scope)),
    maxSensitivity: isLowered ? leastSensitive(key.maxSensitivity, granted.maxSensitivity) : granted.maxSensitivity,
  };
}

function tell(tx: Tx, eventType: string, keyId: string, detail: Readonly<Record<string, unknown>>): void {
  tx.audit({ eventType, targets: [keyId], detail, chains: chainsOf(tx.workspaceId) });
}
