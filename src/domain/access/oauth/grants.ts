/**
 * Grants: what a person gave to a client. Each is a key of the workspace whose secret nobody has: so it is listed, limited,
 * named in the audit log and revoked like any other, and it can do no more than the key of the person who gave it.
 */
import type { OperationContext } from "../../../context.ts";
import { generateApiKey } from "../../../crypto/api_key.ts";
import { sha256Hex } from "../../../crypto/hash.ts";
import { isUuid, uuidv7 } from "../../../crypto/ids.ts";
import { insertApiKey, revokeApiKey, tellKeyChanged } from "../../../db/queries/api_keys.ts";
import * as queries from "../../../db/queries/oauth_grants.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import type { Sensitivity } from "../../../schema/common.ts";
import type { Scope } from "../../../schema/scopes.ts";
import { requireWithin } from "../console_keys.ts";
import { type GrantRequest } from "./requests.ts";
import { newSecret } from "./secrets.ts";

/** A code counts for so long, and so does a grant that nobody has used yet. */
const CODE_SECONDS = 60;
const LIST_MAX = 500;
/** As many secrets whose time is over go with each new grant. */
const EXPIRED_MAX = 200;

/** What a person allows. */
export interface Allowed {
  readonly scopes: readonly Scope[];
  readonly maxSensitivity: Sensitivity;
}

/** Where the client learns of it. */
export type Delivery =
  | { readonly kind: "code"; readonly redirectUri: string; readonly redirectHost: string; readonly challenge: string }
  | { readonly kind: "device"; readonly deviceHash: string; readonly expiresAt: Date };

/** What a person who gives a grant is. */
export interface GiverOptions {
  /** Whether the person may make keys of the workspace: then the grant stands by itself, as such a key does. */
  readonly managesKeys: boolean;
}

/**
 * Gives a grant on behalf of the person behind the context.
 * @returns the code that the client changes for tokens; empty for a device, which has its own
 * @throws ServiceError `insufficient_scope` when the grant could do more than the person, or the person came by a grant
 */
export async function giveGrant(
  ctx: OperationContext,
  request: GrantRequest,
  allowed: Allowed,
  delivery: Delivery,
  { managesKeys }: GiverOptions,
): Promise<string> {
  requireAllowed(ctx, request, allowed);
  const { client, resource } = request, { scopes, maxSensitivity } = allowed;
  const { deps } = ctx, now = deps.clock();
  const keyId = uuidv7(now), giver = giverOf(ctx);
  const generated = generateApiKey("svc_live_");
  // Nobody gets this secret.
  const secretHash = await deps.argon2id.hash(generated.secret, ctx.signal);
  const code = delivery.kind === "code" ? newSecret("code") : "";
  const expiresAt = delivery.kind === "code" ? new Date(now.getTime() + CODE_SECONDS * 1_000) : delivery.expiresAt;
  const redirectHost = delivery.kind === "code" ? delivery.redirectHost : null;
  await ctx.tx(async (tx) => {
    if (await queries.findGrant(tx, giver) !== undefined) {
      throw new ServiceError("insufficient_scope", "Cannot give the grant: your key is a grant itself");
    }
    await insertApiKey(tx, {
      ...{
        keyId,
        publicId: generated.publicId,
        secretHash,
        scopes,
        maxSensitivity,
        expiresAt,
        cidrs: [],
        rateLimit: null,
      },
      name: client.name === "" ? `a client at ${client.publisher ?? redirectHost ?? "a device"}` : client.name,
      givenBy: managesKeys ? undefined : giver,
    });
    await queries.deleteExpiredSecrets(tx, EXPIRED_MAX);
    await queries.insertGrant(tx, { keyId, clientId: client.id, redirectHost, resource });
    await queries.insertSecret(tx, {
      ...{ keyId, expiresAt, kind: delivery.kind },
      ...(delivery.kind === "device" ? { secretHash: delivery.deviceHash } : {
        secretHash: sha256Hex(code),
        challenge: delivery.challenge,
        redirectUri: delivery.redirectUri,
      }),
    });
    tx.audit({
      eventType: "oauth_grant.created",
      targets: [keyId],
      detail: { client: client.name, publisher: client.publisher, redirectHost, resource, scopes, maxSensitivity },
    });
  });
  return code;
}

/** @throws ServiceError when a person allows more than was asked for, or more than their own key may do */
export function requireAllowed(
  ctx: OperationContext,
  { scopes: asked }: Pick<GrantRequest, "scopes">,
  { scopes, maxSensitivity }: Allowed,
): void {
  if (scopes.length === 0 || scopes.some((scope) => !asked.includes(scope))) {
    throw new ServiceError(
      "validation_failed",
      "Cannot give the grant: its scopes are not among those that were asked for",
    );
  }
  requireWithin(ctx, { scopes: [...scopes], maxSensitivity });
}

/** A grant as people see it. */
export interface ListedGrant {
  readonly id: string;
  readonly name: string;
  readonly redirectHost: string | null;
  readonly resource: string;
  readonly scopes: readonly Scope[];
  readonly maxSensitivity: Sensitivity;
  /** The name of the key by which it was given; null: by who may make keys. */
  readonly givenBy: string | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
}

/** Lists the grants that count: those that the caller's key gave, or all if the caller looks after the workspace. */
export async function listGrants(
  ctx: OperationContext,
  options: GiverOptions,
): Promise<{ readonly data: ListedGrant[] }> {
  const own = seesAll(ctx, options) ? undefined : giverOf(ctx);
  const rows = await ctx.tx((tx) => queries.listGrants(tx, own, LIST_MAX), { readOnly: true });
  return {
    data: rows.map((row) => ({
      id: row.keyId,
      name: row.name,
      redirectHost: row.redirectHost,
      resource: row.resource,
      scopes: [...row.scopes],
      maxSensitivity: row.maxSensitivity,
      givenBy: row.giverName,
      createdAt: row.createdAt.toISOString(),
      expiresAt: row.expiresAt?.toISOString() ?? null,
      lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    })),
  };
}

/**
 * Ends a grant with all its tokens, in every process as soon as it hears of it.
 * @throws ServiceError `not_found`, also for a grant of somebody else
 */
export async function revokeGrant(
  ctx: OperationContext,
  id: string,
  options: GiverOptions,
): Promise<{ readonly id: string }> {
  const unknown = () => new ServiceError("not_found", "Cannot find the grant");
  if (!isUuid(id)) throw unknown();
  const publicIds = await ctx.tx(async (tx) => {
    const grant = await queries.findGrant(tx, id);
    if (grant === undefined || !(seesAll(ctx, options) || grant.givenBy === giverOf(ctx))) throw unknown();
    return await endGrant(tx, id, "by a person");
  });
  for (const publicId of publicIds) ctx.deps.verifiedKeys.evict(publicId);
  return { id };
}

/** Ends a grant in a transaction of its workspace. @returns the ids that this process forgets after the commit */
export async function endGrant(tx: Tx, keyId: string, why: string): Promise<string[]> {
  const publicIds = await tellKeyChanged(tx, keyId);
  await revokeApiKey(tx, keyId);
  await queries.deleteSecrets(tx, keyId);
  tx.audit({ eventType: "oauth_grant.revoked", targets: [keyId], detail: { why } });
  return publicIds;
}

function seesAll({ scopes }: OperationContext, { managesKeys }: GiverOptions): boolean {
  return managesKeys || scopes.has("memory:admin");
}

/** The key of the caller. @throws ServiceError `insufficient_scope` for who has none, such as an admin under a grant */
function giverOf({ actor }: OperationContext): string {
  if (actor.startsWith("key:")) return actor.slice("key:".length);
  throw new ServiceError("insufficient_scope", "Cannot use grants: it needs the key of a workspace");
}
