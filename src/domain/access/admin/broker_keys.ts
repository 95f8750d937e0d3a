/**
 * Keys of brokers: apps that make a workspace for each of their users. Such a key opens the operations on tenants and
 * nothing else; what it may give away is in its row.
 */
import type { Deps, OperationContext, VerifiedKey } from "../../../context.ts";
import { generateApiKey, parseApiKey } from "../../../crypto/api_key.ts";
import { uuidv7 } from "../../../crypto/ids.ts";
import * as queries from "../../../db/queries/brokers.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import {
  type BrokerKey,
  type CreateBrokerKeyBody,
  type IssuedBrokerKey,
  type ListBrokerKeysQuery,
  NEVER_GIVEN,
  type RotateBrokerKeyBody,
  type UpdateBrokerKeyBody,
} from "../../../schema/broker_key.ts";
import type { Page } from "../../../schema/common.ts";
import type { Scope } from "../../../schema/scopes.ts";
import { decodeCursor, encodeCursor, isId, toPage } from "../../common/cursor.ts";
import { SYSTEM_WORKSPACE } from "../../common/system.ts";
import { requireVersion } from "../../unit/store.ts";
import { isExpired, readBearer, refusedCredentials, verifySecret } from "../credentials.ts";
import { readExpiry } from "./api_keys.ts";
import { systemTx } from "./authenticate.ts";

/** The operations that take a broker's key are of this scope; what else has it refuses the key. */
const SCOPES_OF_KEY: ReadonlySet<Scope> = new Set(["memory:admin"]);

/** The most that the command line lists. */
const BROKERS_MAX = 10_000;

/**
 * Authenticates a broker; undefined if the token is no broker's key.
 * @throws ServiceError `unauthenticated`, or `rate_limited` after too many failed attempts
 */
export async function authenticateBroker(
  deps: Deps,
  headers: Headers,
  address: string | undefined,
): Promise<VerifiedKey | undefined> {
  const token = readBearer(headers);
  const parsed = parseApiKey(token);
  if (parsed?.prefix !== "mk_broker_") return undefined;
  const { publicId } = parsed;
  const verify = async () => {
    const find = () => systemTx(deps, (tx) => queries.findBrokerKey(tx, publicId), { readOnly: true });
    const row = await verifySecret(deps, token, parsed, address ?? "unknown", find);
    if (row === undefined) return undefined;
    await systemTx(deps, (tx) => queries.touchBroker(tx, row.brokerId));
    return toPrincipal(row, publicId);
  };
  const key = deps.verifiedBrokers.get(token) ?? await deps.verifiedBrokers.resolve(token, publicId, verify);
  if (key === undefined || isExpired(key, deps.clock())) throw refusedCredentials();
  return key;
}

function toPrincipal(row: queries.BrokerFound, publicId: string): VerifiedKey {
  const { brokerId, name, region, cidrs, rateLimit, expiresAt, maxSensitivity } = row;
  return {
    actor: `broker:${brokerId}`,
    adminName: name,
    credential: publicId,
    workspaceId: SYSTEM_WORKSPACE,
    scopes: SCOPES_OF_KEY,
    maxSensitivity,
    region,
    expiresAt,
    cidrs,
    rateLimit,
    broker: { id: brokerId, name, region, scopes: new Set(row.scopes), maxSensitivity },
  };
}

/**
 * Creates a broker with its key. Only the answer holds the whole key; the database stores its Argon2id hash.
 * @throws ServiceError `conflict` when the name is taken, also by a revoked one; `validation_failed` for a past expiry
 */
export async function createBrokerKey(ctx: OperationContext, body: CreateBrokerKeyBody): Promise<IssuedBrokerKey> {
  requireGivable(body.scopes);
  const expiresAt = readExpiry(ctx, body.expiresAt);
  const { publicId, secret, key } = generateApiKey("mk_broker_");
  const brokerId = uuidv7(ctx.deps.clock());
  const secretHash = await ctx.deps.argon2id.hash(secret, ctx.signal);
  const row = await ctx.tx(async (tx) => {
    if (!await queries.insertBroker(tx, { ...body, brokerId, publicId, secretHash, expiresAt })) {
      throw new ServiceError("conflict", "Cannot create the broker's key: the name is taken");
    }
    const row = await loadBroker(tx, brokerId);
    const detail = { publicId, name: body.name, region: body.region, ...rightsOf(row) };
    tx.audit({ eventType: "broker_key.created", targets: [brokerId], detail });
    return row;
  });
  return { ...toBrokerKey(ctx, row), key };
}

/** The command line passes no schema. */
function requireGivable(scopes: readonly Scope[]): void {
  const never = scopes.find((scope) => NEVER_GIVEN.has(scope));
  if (never === undefined) return;
  throw new ServiceError("validation_failed", `Cannot create the broker's key: no tenant gets the scope ${never}`);
}

/** Lists brokers' keys, without secrets, the newest first unless asked otherwise. */
export async function pageBrokerKeys(ctx: OperationContext, query: ListBrokerKeysQuery): Promise<Page<BrokerKey>> {
  const { limit, order } = query;
  const after = decodeCursor("broker_keys", order, query.cursor, isId);
  const rows = await ctx.tx((tx) => queries.pageBrokers(tx, { order, after, limit: limit + 1 }), { readOnly: true });
  return toPage(rows, limit, (row) => toBrokerKey(ctx, row), (row) => encodeCursor("broker_keys", order, row.brokerId));
}

/** All brokers' keys, for the command line. */
export async function listBrokerKeys(ctx: OperationContext): Promise<BrokerKey[]> {
  const filter = { order: "asc", after: undefined, limit: BROKERS_MAX } as const;
  const rows = await ctx.tx((tx) => queries.pageBrokers(tx, filter), { readOnly: true });
  return rows.map((row) => toBrokerKey(ctx, row));
}

/** @throws ServiceError `not_found` */
export async function getBrokerKey(ctx: OperationContext, id: string): Promise<BrokerKey> {
  return toBrokerKey(ctx, await ctx.tx((tx) => loadBroker(tx, id), { readOnly: true }));
}

/**
 * Changes what a broker may give away from now on, in every process. Tokens that it gave lose what it may no longer give;
 * keys stay as they are.
 * @throws ServiceError `not_found`, `version_mismatch`; `invalid_transition` when it is revoked; `validation_failed`
 */
export async function updateBrokerKey(
  ctx: OperationContext,
  id: string,
  { expiresAt, ...rest }: UpdateBrokerKeyBody,
  ifMatch: number | undefined,
): Promise<BrokerKey> {
  const expiry = expiresAt === undefined ? {} : { expiresAt: readExpiry(ctx, expiresAt) };
  return await change(ctx, id, "broker_key.updated", async (tx, row) => {
    requireVersion(row, ifMatch);
    requireUnrevoked(row);
    const rights: queries.BrokerRights = { ...row, ...rest, ...expiry };
    await queries.updateBroker(tx, id, rights);
    return { changed: Object.keys({ ...rest, ...expiry }).sort(), ...rightsOf(rights) };
  });
}

/**
 * Gives a broker a new secret. The present one stays valid for the overlap; one that was replaced before ends now.
 * @throws ServiceError `not_found`; `invalid_transition` when it is revoked
 */
export async function rotateBrokerKey(
  ctx: OperationContext,
  id: string,
  { overlapSeconds }: RotateBrokerKeyBody,
): Promise<IssuedBrokerKey> {
  const { publicId, secret, key } = generateApiKey("mk_broker_");
  const secretHash = await ctx.deps.argon2id.hash(secret, ctx.signal);
  const rotated = await change(ctx, id, "broker_key.rotated", async (tx, row) => {
    requireUnrevoked(row);
    const until = overlapSeconds === 0 ? undefined : new Date(tx.now.getTime() + overlapSeconds * 1_000);
    await queries.replaceBrokerSecret(tx, id, { publicId, secretHash }, until);
    return { publicId, formerPublicId: row.publicId, formerValidUntil: until?.toISOString() ?? null };
  });
  return { ...rotated, key };
}

/**
 * Revokes a broker's key for good, and with it the tokens that it gave. Its tenants and their keys stay; admins manage them
 * from then on.
 * @throws ServiceError `not_found`
 */
export async function revokeBrokerKey(ctx: OperationContext, id: string): Promise<BrokerKey> {
  return await change(ctx, id, "broker_key.revoked", async (tx, row) => {
    await queries.revokeBroker(tx, id);
    return { publicId: row.publicId, alreadyRevoked: row.revokedAt !== null };
  });
}

/** Changes a broker under its lock, and tells every process. */
async function change(
  ctx: OperationContext,
  id: string,
  eventType: string,
  work: (tx: Tx, row: queries.BrokerRow) => Promise<Record<string, unknown>>,
): Promise<BrokerKey> {
  const { row, publicIds } = await ctx.tx(async (tx) => {
    const before = await loadBroker(tx, id, true);
    // Read before the change, because a secret that the change removes must be forgotten, too.
    const publicIds = await queries.tellBrokerChanged(tx, id);
    const detail = await work(tx, before);
    tx.audit({ eventType, targets: [id], detail });
    if (eventType !== "broker_key.rotated") await queries.tellTokensChanged(tx);
    return { row: await loadBroker(tx, id), publicIds };
  });
  for (const publicId of publicIds) ctx.deps.verifiedBrokers.evict(publicId);
  if (eventType !== "broker_key.rotated") ctx.deps.verifiedKeys.clear();
  return toBrokerKey(ctx, row);
}

async function loadBroker(tx: Tx, id: string, lock = false): Promise<queries.BrokerRow> {
  const row = await queries.findBroker(tx, id, lock);
  if (row === undefined) throw new ServiceError("not_found", "Cannot find the broker's key");
  return row;
}

function requireUnrevoked({ revokedAt }: queries.BrokerRow): void {
  if (revokedAt === null) return;
  throw new ServiceError("invalid_transition", "Cannot change the broker's key: it is revoked");
}

/** A broker's rights as the audit log records them. */
function rightsOf({ scopes, maxSensitivity, cidrs, rateLimit, expiresAt }: queries.BrokerRights) {
  return { scopes, maxSensitivity, cidrs, rateLimit, expiresAt: expiresAt?.toISOString() ?? null };
}

function toBrokerKey(ctx: OperationContext, row: queries.BrokerRow): BrokerKey {
  const { formerValidUntil: until } = row;
  const time = (at: Date | null) => at?.toISOString() ?? null;
  return {
    id: row.brokerId,
    version: row.version,
    publicId: row.publicId,
    name: row.name,
    region: row.region,
    scopes: [...row.scopes],
    maxSensitivity: row.maxSensitivity,
    cidrs: [...row.cidrs],
    rateLimit: row.rateLimit && { ...row.rateLimit },
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    expiresAt: time(row.expiresAt),
    revokedAt: time(row.revokedAt),
    lastUsedAt: time(row.lastUsedAt),
    formerValidUntil: until !== null && row.revokedAt === null && until > ctx.deps.clock() ? until.toISOString() : null,
  };
}
