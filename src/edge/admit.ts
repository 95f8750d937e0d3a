/** The way into every operation, by HTTP and RPC alike: the fixed order of checks up to the body. */
import type { Deps, OperationContext } from "../context.ts";
import { type AccessRequest, authorize } from "../domain/access/authorize.ts";
import { withChallenge } from "../domain/access/protected_resource.ts";
import { requestLoadOf } from "../domain/access/request_load.ts";
import { auditTrailOf } from "../domain/audit/trail.ts";
import { admitPeer } from "../domain/federation/peers/caller.ts";
import { ServiceError } from "../errors.ts";
import type { OperationHead } from "../operations/operation.ts";
import type { Observed } from "./observe.ts";

/** The properties of an operation that admission needs. */
export interface Admission extends Pick<OperationHead, "id" | "scope" | "bearer" | "admits" | "cost" | "bodyBytesMax"> {
  /** `none`: it changes nothing. Default: it may. */
  readonly idempotency?: OperationHead["idempotency"];
  readonly takesBrokers?: boolean;
  /** Whether it stays open as long as its caller likes, and counts among the streams of its key. */
  readonly isStream?: boolean;
}

/**
 * Checks size, key, address, region, scope, rate and requests in progress, in this order. If another instance calls,
 * its token and the rate of the peer are checked after those of the key; `observed.acceptBody` then checks the token
 * against the body.
 * @throws ServiceError for a refusal
 */
export async function admit(
  deps: Deps,
  operation: Admission,
  observed: Observed,
  request: {
    readonly headers: Headers;
    readonly signal: AbortSignal;
    readonly url: string;
    readonly ticket?: string | undefined;
    /** What a page of the console sends; every other face leaves it out, so that a cookie counts nowhere else. */
    readonly session?: AccessRequest["session"];
    readonly via?: OperationContext["via"];
  },
): Promise<OperationContext> {
  const { scope: access, id: operationId, bodyBytesMax, cost, isStream } = operation;
  refuseDeclaredSize(request.headers, bodyBytesMax);
  if (access !== "public") refuseUnready(deps);
  const ctx = await enterOrSay(deps, operation, observed, request.url, {
    access,
    operationId,
    headers: request.headers,
    remoteAddress: observed.remoteAddress,
    requestId: observed.requestId,
    signal: request.signal,
    ticket: request.ticket,
    session: request.session,
    changes: operation.idempotency !== "none",
    takesBrokers: operation.takesBrokers === true,
    via: request.via,
    cost: cost.tokens,
    onRateLimit: (limit, state) => void (observed.rateLimit = { limit, state }),
  });
  observed.workspaceId = ctx.workspaceId || undefined;
  observed.certificatePin = ctx.certificatePin;
  if (access === "public") return ctx;
  auditTrailOf(deps).requireRoom();
  observed.readLimits = () => requestLoadOf(deps).report(ctx);
  if (isStream) return ctx;
  const { underWay } = observed;
  const budget = requestLoadOf(deps).budget();
  underWay.use(await requestLoadOf(deps).enter(ctx, request.signal, budget));
  const begin = async () => void underWay.use(await requestLoadOf(deps).enterHeavy(ctx, request.signal, budget));
  return withCost(ctx, cost, begin);
}

/** The context in which an operation is charged for its actual cost and, if it is heavy, waits for its turn. */
export function withCost(
  ctx: OperationContext,
  { isHeavy, bySize }: OperationHead["cost"],
  begin: () => Promise<void>,
): OperationContext {
  if (isHeavy) return { ...ctx, begin };
  if (bySize === undefined) return ctx;
  const { each } = bySize;
  return {
    ...ctx,
    async noteItems(count) {
      if (count <= each) return;
      await ctx.spend?.(Math.ceil(count / each) - 1);
      await begin();
    },
  };
}

/** Identifies the caller. Who could come with a token is told in a refusal where to get one. */
async function enterOrSay(
  deps: Deps,
  operation: Admission,
  observed: Observed,
  url: string,
  request: AccessRequest,
): Promise<OperationContext> {
  try {
    return await enter(deps, operation, observed, url, request);
  } catch (error) {
    const isForTokens = (operation.bearer ?? "key") === "key" && request.session === undefined;
    if (!isForTokens || !(error instanceof ServiceError)) throw error;
    throw withChallenge(deps, error, { url, headers: request.headers }, observed.remoteAddress);
  }
}

/** Identifies the caller, by the kind of bearer that the operation takes. */
async function enter(
  deps: Deps,
  { bearer, admits, scope, isStream }: Admission,
  observed: Observed,
  url: string,
  request: AccessRequest,
): Promise<OperationContext> {
  if (request.session !== undefined && bearer === "peer" && scope !== "public") {
    throw new ServiceError("insufficient_scope", "Cannot call this operation from the console: it is for peers");
  }
  if (bearer !== "peer" || scope === "public" || scope === "any") {
    return await authorize(deps, bearer === "admin" ? { ...request, bearer } : request);
  }
  const { pathname, search } = new URL(url);
  const { ctx, acceptBody, presented } = await admitPeer(deps, {
    ...request,
    access: scope,
    admits,
    method: observed.method,
    target: pathname + search,
    // Stream replies are proven message by message.
    ...(isStream !== true && { onProven: (to) => void (observed.replyTo = to) }),
  });
  observed.acceptBody = acceptBody;
  observed.presented = presented;
  return ctx;
}

/** Refuses a declared length above the limit before any other check. */
function refuseDeclaredSize(headers: Headers, bytesMax: number): void {
  const declared = headers.get("content-length");
  if (declared !== null && Number(declared) > bytesMax) throw tooLarge(bytesMax);
}

/** Makes the error for a body over the limit. */
export function tooLarge(bytesMax: number): ServiceError {
  return new ServiceError("payload_too_large", `Cannot accept the body: it is larger than ${bytesMax} bytes`);
}

/**
 * Without a database a key cannot be checked either, so this precedes all checks of the caller. A stopping service
 * takes no new requests, so that running ones can end.
 */
function refuseUnready({ isPrepared, stopping }: Deps): void {
  if (isPrepared() && !stopping.aborted) return;
  const message = stopping.aborted
    ? "Cannot serve any more: the service is stopping"
    : "Cannot serve yet: the database is not there";
  throw new ServiceError("unavailable", message);
}
