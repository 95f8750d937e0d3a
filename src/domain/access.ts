/** Who may do what: keys, scopes and clearance, for HTTP and RPC alike. Interface §5, decisions §2. */
import { generateApiKey, parseApiKey, type ParsedApiKey } from "../crypto/api_key.ts";
import { isUuid, uuidv7 } from "../crypto/ids.ts";
import { type Region, REGIONS } from "../config.ts";
import { createContext, type Deps, type OperationContext, type Principal, type VerifiedKey } from "../context.ts";
import * as apiKeys from "../db/queries/api_keys.ts";
import * as workspaces from "../db/queries/workspaces.ts";
import { ServiceError } from "../errors.ts";
import type { BucketState } from "../kv/key_value.ts";
import type { RateLimitSetting } from "../kv/rate_limit.ts";
import { isInCidrs } from "../schema/cidr.ts";
import type { Sensitivity } from "../schema/common.ts";
import { type Scope, SCOPES } from "../schema/scopes.ts";
import { type Caller, readCaller } from "./caller.ts";

export interface AccessRequest {
  /** The scope that the operation needs, or `public` for none. */
  readonly access: Scope | "public";
  readonly operationId: string;
  readonly headers: Headers;
  /** The address of the TCP peer. */
  readonly remoteAddress: string | undefined;
  readonly requestId: string;
  readonly signal: AbortSignal;
  /** Told about the key's rate limit, for the reply's headers. */
  readonly onRateLimit?: (limit: RateLimitSetting, state: BucketState) => void;
}

/** Stands for "no workspace": what belongs to the service as a whole, such as the system's own audit chain. */
export const SYSTEM_WORKSPACE = "00000000-0000-0000-0000-000000000000";

const NOBODY: Principal = { actor: "anonymous", workspaceId: "", scopes: new Set(), maxSensitivity: "public" };

/** One body for missing, unknown, wrong, revoked and expired keys: a caller learns nothing about which it was. */
function refused(): ServiceError {
  return new ServiceError("unauthenticated", "Cannot accept the request: it has no valid API key", {
    headers: { "www-authenticate": "Bearer" },
  });
}

/**
 * Establishes who is asking and whether they may, in the order of decisions §1: the key's form, the key, its address,
 * its region, its scope, its rate.
 * @throws ServiceError `unauthenticated`, `ip_not_allowed`, `wrong_region`, `insufficient_scope` or `rate_limited`.
 */
export async function authorize(deps: Deps, access: AccessRequest): Promise<OperationContext> {
  const caller = readCaller(access.headers, access.remoteAddress, deps.config.trustedProxyIp);
  const request = { ...access, ...caller };
  if (request.access === "public") return createContext(deps, NOBODY, request);
  const key = await authenticate(deps, request);
  try {
    await admit(deps, key, request.access, request);
  } catch (error) {
    // Not what a key sends beyond its rate: the log would grow at the rate of a flood.
    if (error instanceof ServiceError && error.code !== "rate_limited") {
      deps.audit.noteRequest(createContext(deps, key, request), error.code);
    }
    throw error;
  }
  return createContext(deps, key, request);
}

/** What a valid key may be refused for. */
async function admit(deps: Deps, key: VerifiedKey, scope: Scope, request: AccessRequest & Caller): Promise<void> {
  refuseAddress(key, request.address);
  refuseRegion(deps, key);
  if (!key.scopes.has(scope)) {
    throw new ServiceError(
      "insufficient_scope",
      `Cannot call this operation: the key lacks the scope ${scope}`,
      {
        headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="${scope}"` },
      },
    );
  }
  await takeRequest(deps, key, request);
}

async function authenticate(deps: Deps, request: AccessRequest & Caller): Promise<VerifiedKey> {
  const token = /^Bearer ([!-~]{1,200})$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
  const parsed = parseApiKey(token);
  if (parsed?.prefix !== "svc_live_") throw refused();
  const key = deps.verifiedKeys.get(token) ??
    await deps.verifiedKeys.resolve(
      token,
      parsed.publicId,
      () => verifyKey(deps, parsed, request.address ?? "unknown"),
    );
  if (key === undefined || isExpired(key, deps.clock())) throw refused();
  return key;
}

/** Looks the key up and verifies its secret; shared by all who present the same token at the same time. */
async function verifyKey(deps: Deps, parsed: ParsedApiKey, source: string): Promise<VerifiedKey | undefined> {
  const attempt = await deps.failedAttempts.begin(source, parsed.publicId);
  let row: apiKeys.ApiKeyRow | undefined;
  try {
    row = await deps.db.system((sql) => apiKeys.findApiKey(sql, parsed.publicId), { readOnly: true });
    if (row === undefined || !await deps.argon2id.verify(parsed.secret, row.secretHash)) return undefined;
  } catch (error) {
    // No database or no free thread: that is no failure of the caller's.
    await attempt.giveBack();
    throw error;
  }
  await attempt.giveBack();
  if (row.revokedAt !== null || isExpired(row, deps.clock())) return undefined;
  await deps.db.system((sql) => apiKeys.touchApiKey(sql, parsed.publicId));
  return {
    actor: `key:${row.keyId}`,
    workspaceId: row.workspaceId,
    scopes: new Set(row.scopes),
    maxSensitivity: row.maxSensitivity,
    region: row.region,
    expiresAt: row.expiresAt,
    cidrs: row.cidrs,
    rateLimit: row.rateLimit,
  };
}

function isExpired(key: { readonly expiresAt: Date | null }, now: Date): boolean {
  return key.expiresAt !== null && key.expiresAt.getTime() <= now.getTime();
}

/** Interface §5.7. An address that is not known is not in any list. */
function refuseAddress({ cidrs }: VerifiedKey, address: string | undefined): void {
  if (cidrs.length === 0 || isInCidrs(cidrs, address)) return;
  throw new ServiceError("ip_not_allowed", "Cannot accept the request: the key may not be used from this address");
}

async function takeRequest(deps: Deps, key: VerifiedKey, { onRateLimit }: AccessRequest): Promise<void> {
  const limit = key.rateLimit ?? deps.config.rateLimit;
  if (limit.perMinute === 0) return;
  const state = await deps.rateLimit.take(key.actor, limit);
  onRateLimit?.(limit, state);
  if (state.isAllowed) return;
  throw new ServiceError("rate_limited", "Cannot accept the request: the key's rate limit is used up", {
    headers: { "retry-after": String(state.retryAfterSeconds) },
  });
}

/** Interface §5.12. Only after authentication, so that a stranger does not learn where a workspace lives. */
function refuseRegion(deps: Deps, key: VerifiedKey): void {
  if (deps.config.region === undefined || deps.config.region === key.region) return;
  throw new ServiceError("wrong_region", `Cannot serve this workspace here: its home region is ${key.region}`, {
    extra: { homeRegion: key.region },
  });
}

/** Creates a workspace and answers its id. The operator's, not a tenant's: it has no scope of its own. */
export async function createWorkspace(deps: Deps, input: { name: string; region: Region }): Promise<string> {
  const workspaceId = uuidv7(deps.clock());
  await deps.db.system((sql) => workspaces.createWorkspace(sql, { workspaceId, ...input }));
  return workspaceId;
}

/**
 * Gives an empty service its first workspace and a key for it; answers nothing when there is a workspace already, also
 * when several processes start at once.
 */
export async function createFirstAccess(deps: Deps): Promise<{ workspaceId: string; key: string } | undefined> {
  const workspaceId = uuidv7(deps.clock());
  const region = deps.config.region ?? REGIONS[0];
  const created = await deps.db.system((sql) =>
    workspaces.createFirstWorkspace(sql, { workspaceId, name: "default", region })
  );
  if (!created) return undefined;
  const ctx = operatorContext(deps, workspaceId);
  const { key } = await createApiKey(ctx, {
    name: "first key",
    scopes: DEFAULT_SCOPES,
    maxSensitivity: "confidential",
  });
  return { workspaceId, key };
}

/** The operator inside one workspace, for the command line and the first start: all scopes, highest clearance. */
export function operatorContext(deps: Deps, workspaceId: string): OperationContext {
  const principal: Principal = { actor: "cli", workspaceId, scopes: new Set(SCOPES), maxSensitivity: "restricted" };
  return createContext(deps, principal, { requestId: uuidv7(deps.clock()), operationId: "cli", signal: deps.stopping });
}

export function listWorkspaces(deps: Deps): Promise<workspaces.WorkspaceRow[]> {
  return deps.db.system(workspaces.listWorkspaces, { readOnly: true });
}

export interface CreateKeyInput {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly maxSensitivity: Sensitivity;
  readonly expiresAt?: Date;
  /** The ranges that it may be used from; anywhere unless told. */
  readonly cidrs?: readonly string[];
  /** Instead of the configured one. */
  readonly rateLimit?: RateLimitSetting;
}

/** What a tenant's agent needs for everything that the product is for; administration and federation are asked for. */
export const DEFAULT_SCOPES: readonly Scope[] = SCOPES.filter((scope) =>
  scope !== "memory:admin" && scope !== "memory:admin:cross_tenant" && scope !== "federation"
);

/**
 * Creates a key in the context's workspace. The whole key is in the answer and nowhere else: only its Argon2id hash is
 * stored.
 */
export async function createApiKey(
  ctx: OperationContext,
  input: CreateKeyInput,
): Promise<{ keyId: string; key: string }> {
  const generated = generateApiKey("svc_live_");
  const keyId = uuidv7(ctx.deps.clock());
  const secretHash = await ctx.deps.argon2id.hash(generated.secret, ctx.signal);
  await ctx.tx((tx) =>
    apiKeys.insertApiKey(tx, {
      keyId,
      publicId: generated.publicId,
      name: input.name,
      secretHash,
      scopes: input.scopes,
      maxSensitivity: input.maxSensitivity,
      expiresAt: input.expiresAt ?? null,
      cidrs: input.cidrs ?? [],
      rateLimit: input.rateLimit ?? null,
    })
  );
  return { keyId, key: generated.key };
}

export function listApiKeys(ctx: OperationContext): Promise<apiKeys.ApiKeyListed[]> {
  return ctx.tx(apiKeys.listApiKeys, { readOnly: true });
}

/**
 * Revokes a key; every process refuses it as soon as the notification arrives, and within 60 s in any case.
 * @throws ServiceError `not_found`
 */
export async function revokeApiKey(ctx: OperationContext, keyId: string): Promise<void> {
  const publicId = isUuid(keyId) ? await ctx.tx((tx) => apiKeys.revokeApiKey(tx, keyId)) : undefined;
  if (publicId === undefined) throw new ServiceError("not_found", "Cannot revoke the key: there is no such key");
  ctx.deps.verifiedKeys.evict(publicId);
}
