/** Decides who may do what, by keys, scopes and clearance, for HTTP and RPC alike. */
import { parseApiKey, type ParsedApiKey } from "../../crypto/api_key.ts";
import { uuidv7 } from "../../crypto/ids.ts";
import { createContext, type Deps, type OperationContext, type Principal, type VerifiedKey } from "../../context.ts";
import * as apiKeys from "../../db/queries/api_keys.ts";
import * as workspaces from "../../db/queries/workspaces.ts";
import { ServiceError } from "../../errors.ts";
import type { BucketState } from "../../kv/key_value.ts";
import type { RateLimitSetting } from "../../kv/rate_limit.ts";
import type { Sensitivity } from "../../schema/common.ts";
import { type Region, REGIONS } from "../../schema/regions.ts";
import { DEFAULT_SCOPES, type Scope, SCOPES } from "../../schema/scopes.ts";
import { clientCertificateIgnored } from "../../telemetry/events.ts";
import { authenticateAdmin } from "./admin/authenticate.ts";
import { authenticateBroker } from "./admin/broker_keys.ts";
import { isAdminSession, useAdminSession } from "./admin/console_sessions.ts";
import { issueApiKey } from "./admin/api_keys.ts";
import { authenticateToken, readBearerToken } from "./bearer_tokens.ts";
import { type Grant, openGrant, openGrantOf } from "./admin/grant.ts";
import * as adminWorkspaces from "./admin/workspaces.ts";
import { auditTrailOf, subjectOf } from "../audit/trail.ts";
import { type Caller, readCaller } from "./caller.ts";
import {
  isExpired,
  readBearer,
  refuseAddress,
  refusedCredentials,
  refusedForm,
  refuseRegion,
  refuseSuspended,
  verifySecret,
} from "./credentials.ts";
import { type SessionCredentials, useConsoleSession } from "./console_sessions.ts";
import { type RedeemedKey, redeemStreamTicket } from "./tickets.ts";
import { takeRequest } from "./request_rate.ts";
import { SYSTEM_WORKSPACE } from "../common/system.ts";

export interface AccessRequest {
  /** The scope that the operation needs; `any`: a valid key, whatever its scopes; `public`: no key. */
  readonly access: Scope | "any" | "public";
  /** Which bearer the operation takes: the key of a workspace (the default), or that of an admin. */
  readonly bearer?: "key" | "admin";
  /** Whether it takes the key of a broker, too, where it takes that of an admin. */
  readonly takesBrokers?: boolean;
  readonly operationId: string;
  readonly headers: Headers;
  /** The address of the TCP peer. */
  readonly remoteAddress: string | undefined;
  readonly requestId: string;
  readonly signal: AbortSignal;
  /** A one-use ticket of a key, if the operation takes tickets and the request has one. */
  readonly ticket?: string | undefined;
  /** What a page of the console sends in the place of a key. */
  readonly session?: SessionCredentials | undefined;
  /** Whether the operation changes something, for which a session of the console needs its user's word. */
  readonly changes?: boolean;
  /** Tokens that the operation takes from the key's rate; default: 1. */
  readonly cost?: number;
  /** The face through which the request came, if the audit log names it. */
  readonly via?: OperationContext["via"];
  /** Called with the key's rate limit, for the reply's headers. */
  readonly onRateLimit?: (limit: RateLimitSetting, state: BucketState) => void;
}

const NOBODY: Principal = { actor: "anonymous", workspaceId: "", scopes: new Set(), maxSensitivity: "public" };

/**
 * Authenticates and authorizes a caller. It checks, in this order: the key's form, the key, its address, its region, that
 * its workspace is not suspended, its scope and its rate.
 * @throws ServiceError `unauthenticated`, `ip_not_allowed`, `break_glass_required`, `wrong_region`, `workspace_suspended`,
 *   `insufficient_scope` or `rate_limited`.
 */
export async function authorize(deps: Deps, access: AccessRequest): Promise<OperationContext> {
  const caller = readCaller(access.headers, access.remoteAddress, deps.config.trustedProxyIp);
  const request = { ...access, ...caller };
  if (caller.certificateIgnored !== undefined) {
    noteIgnoredCertificate(deps, access.requestId, caller.certificateIgnored);
  }
  if (request.access === "public") return createContext(deps, NOBODY, request);
  const { key, grant, mayWrite, isMisplaced } = await identify(deps, request);
  // A stream comes through the face that its ticket was made by.
  const asked = { ...request, via: key.via ?? request.via };
  try {
    if (isMisplaced) refuseMisplaced(request);
    await refuseUnentitled(deps, key, request.access, request);
    if (!mayWrite && request.changes) refuseReadOnly(request.access);
    await grant?.use();
  } catch (error) {
    // Refusals beyond the key's rate are not recorded: otherwise a flood would make the log grow at its own rate.
    if (error instanceof ServiceError && error.code !== "rate_limited") {
      auditTrailOf(deps).noteRefusal(createContext(deps, key, asked), error.code);
    }
    throw error;
  }
  const spend = (cost: number) =>
    cost > 0 ? takeRequest(deps, key, { cost, onTaken: request.onRateLimit }) : Promise.resolve();
  const ctx = createContext(deps, key, { ...asked, spend, key });
  // Recorded only after the key and its rate were checked, so that strangers cannot fill the audit log.
  if (caller.certificateIgnored === "unreadable") {
    auditTrailOf(deps).note(key.workspaceId, subjectOf(ctx), {
      eventType: "client_certificate.unreadable",
      outcome: "ignored",
    });
  }
  return ctx;
}

interface Identified {
  readonly key: RedeemedKey;
  /** The grant by which an admin enters a workspace. */
  readonly grant?: Grant | undefined;
  /** False for a session of the console whose user has not allowed changes. */
  readonly mayWrite: boolean;
  /** It is a session of the console that the operation does not take. */
  readonly isMisplaced?: boolean;
}

/** Finds out who calls: by a session of the console, by a grant, or by the key of an admin or of a workspace. */
async function identify(deps: Deps, request: AccessRequest & Caller): Promise<Identified> {
  const isAdmins = request.bearer === "admin";
  const { session } = request;
  if (session !== undefined && isAdminSession(session)) {
    const { admin, mayWrite } = await useAdminSession(deps, session);
    if (isAdmins) return { key: admin, mayWrite };
    const grant = await openGrantOf(deps, admin, request);
    return { key: grant?.key ?? admin, grant, mayWrite, isMisplaced: grant === undefined };
  }
  if (session !== undefined) return { ...await useConsoleSession(deps, session), isMisplaced: isAdmins };
  if (isAdmins) {
    const broker = request.takesBrokers ? await authenticateBroker(deps, request.headers, request.address) : undefined;
    return { key: broker ?? await authenticateAdmin(deps, request.headers, request.address), mayWrite: true };
  }
  const grant = await openGrant(deps, request);
  return { key: grant?.key ?? await authenticate(deps, request), grant, mayWrite: true };
}

/** Refuses a session of one kind where the other kind counts. */
function refuseMisplaced({ bearer }: AccessRequest): never {
  throw new ServiceError(
    "insufficient_scope",
    bearer === "admin"
      ? "Cannot call this operation: it takes the session of an admin, and this one is that of a workspace's key"
      : "Cannot call this operation: an admin's session enters a workspace only under a grant that a second admin approved",
  );
}

/** Counts and logs a client certificate that the service ignores. docs/reference/guarantees.md T19. */
function noteIgnoredCertificate(deps: Deps, requestId: string, reason: "untrusted_source" | "unreadable"): void {
  deps.telemetry.metrics.countIgnoredCertificate(reason);
  clientCertificateIgnored(deps.telemetry.log, { requestId, reason });
}

/** Refuses a valid key that lacks what the request needs. */
async function refuseUnentitled(
  deps: Deps,
  key: VerifiedKey,
  scope: Scope | "any",
  request: AccessRequest & Caller,
): Promise<void> {
  refuseAddress(key, request.address);
  refuseRegion(deps, key);
  refuseSuspended(key);
  if (scope !== "any" && !key.scopes.has(scope)) {
    throw new ServiceError(
      "insufficient_scope",
      `Cannot call this operation: the key lacks the scope ${scope}`,
      {
        headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="${scope}"` },
      },
    );
  }
  await takeRequest(deps, key, { cost: request.cost, onTaken: request.onRateLimit });
}

/** What needs the right to read alone shows something, such as the ticket of a stream. */
function refuseReadOnly(scope: Scope | "any"): void {
  if (/:(read|export)$/.test(scope)) return;
  throw new ServiceError(
    "insufficient_scope",
    "Cannot change anything: the console only reads until you allow changes",
  );
}

async function authenticate(deps: Deps, request: AccessRequest & Caller): Promise<RedeemedKey> {
  if (request.ticket !== undefined) {
    if (!request.headers.has("authorization")) {
      return await redeemStreamTicket(deps, request.ticket, request.address ?? "unknown");
    }
    throw new ServiceError(
      "invalid_request",
      "Cannot identify the caller: there is both a ticket and an Authorization header",
    );
  }
  const issued = readBearerToken(request.headers);
  if (issued !== undefined) {
    const resource = request.via === "mcp" ? "mcp" : "api";
    return await authenticateToken(deps, issued, { resource, source: request.address ?? "unknown" });
  }
  const token = readBearer(request.headers);
  const parsed = parseApiKey(token);
  if (parsed?.prefix !== "svc_live_") throw refusedForm(request.headers, "svc_live_");
  const key = deps.verifiedKeys.get(token) ??
    await deps.verifiedKeys.resolve(
      token,
      parsed.publicId,
      () => verifyKey(deps, token, parsed, request.address ?? "unknown"),
    );
  if (key === undefined || isExpired(key, deps.clock())) throw refusedCredentials();
  return key;
}

async function verifyKey(
  deps: Deps,
  token: string,
  parsed: ParsedApiKey,
  source: string,
): Promise<VerifiedKey | undefined> {
  const { publicId } = parsed;
  const find = () => deps.db.first((sql) => apiKeys.findApiKey(sql, publicId), { readOnly: true });
  const row = await verifySecret(deps, token, parsed, source, find);
  if (row === undefined) return undefined;
  await deps.db.system((sql) => apiKeys.touchApiKey(sql, publicId), { at: row.workspaceId });
  return {
    actor: `key:${row.keyId}`,
    credential: publicId,
    workspaceId: row.workspaceId,
    scopes: new Set(row.scopes),
    maxSensitivity: row.maxSensitivity,
    region: row.region,
    expiresAt: row.expiresAt,
    cidrs: row.cidrs,
    rateLimit: row.rateLimit,
    isSuspended: row.isSuspended,
  };
}

/** Creates a workspace for the operator, from the command line, and returns its id. */
export async function createWorkspace(
  deps: Deps,
  { cluster, ...input }: { name: string; region: Region; cluster?: string | undefined },
): Promise<string> {
  return (await adminWorkspaces.createWorkspace(operatorContext(deps, SYSTEM_WORKSPACE), input, cluster)).id;
}

/**
 * Gives an empty service its first workspace and a key for it. Undefined if there is a workspace already, also when
 * several processes start at once.
 */
export async function createFirstAccess(deps: Deps): Promise<{ workspaceId: string; key: string } | undefined> {
  const workspaceId = uuidv7(deps.clock());
  const region = deps.config.region ?? REGIONS[0];
  if (deps.db.clusters.size > 1) {
    // The home cluster may be empty while another one is not. Ask first the clusters that can be reached; only if these
    // are empty does the answer depend on the others, and then all have to answer.
    const isUsed = async (partial: boolean) => (await adminWorkspaces.listWorkspaces(deps, { partial })).length > 0;
    if (await isUsed(true) || await isUsed(false)) return undefined;
  }
  const created = await deps.db.system((sql) =>
    workspaces.createFirstWorkspace(sql, { workspaceId, name: "default", region })
  );
  if (!created) return undefined;
  const ctx = operatorContext(deps, workspaceId);
  const { key } = await createApiKey(ctx, {
    name: "first key",
    scopes: DEFAULT_SCOPES,
    maxSensitivity: "confidential",
    // The embedded database is one person's, whose first import is no flood. A limit can be set later, as for any key.
    ...(deps.config.database.url === undefined && { rateLimit: { ...deps.config.rateLimit, perMinute: 0 } }),
  });
  return { workspaceId, key };
}

/** The operator's context inside one workspace, for command line and first start: all scopes, highest clearance. */
export function operatorContext(deps: Deps, workspaceId: string): OperationContext {
  const principal: Principal = { actor: "cli", workspaceId, scopes: new Set(SCOPES), maxSensitivity: "restricted" };
  return createContext(deps, principal, { requestId: uuidv7(deps.clock()), operationId: "cli", signal: deps.stopping });
}

export interface CreateKeyInput {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly maxSensitivity: Sensitivity;
  readonly expiresAt?: Date;
  /** The address ranges from which the key may be used; default: anywhere. */
  readonly cidrs?: readonly string[];
  /** The key's own limit; default: the configured one. */
  readonly rateLimit?: RateLimitSetting;
}

/** Creates a key in the context's workspace for the command line, like `issueApiKey`. */
export async function createApiKey(
  ctx: OperationContext,
  { expiresAt, cidrs = [], rateLimit, scopes, ...input }: CreateKeyInput,
): Promise<{ keyId: string; key: string }> {
  const { id, key } = await issueApiKey(ctx, {
    ...input,
    scopes: [...scopes],
    expiresAt: expiresAt?.toISOString() ?? null,
    cidrs: [...cidrs],
    rateLimit: rateLimit === undefined ? null : { ...rateLimit },
  });
  return { keyId: id, key };
}

export function listApiKeys(ctx: OperationContext): Promise<apiKeys.ApiKeyListed[]> {
  return ctx.tx(apiKeys.listApiKeys, { readOnly: true });
}
