/** Wraps every request, by HTTP and RPC alike: its id, span, metrics and log line, and the replies to faults. */
import type { Deps } from "../context.ts";
import type { LimitReport } from "../domain/access/request_load.ts";
import type { Presented } from "../domain/federation/peers/caller.ts";
import { mintReplyToken, type ReplyTo, TOKEN_HEADER } from "../domain/federation/peers/token.ts";
import { ServiceError } from "../errors.ts";
import { requestFailed } from "../telemetry/events.ts";
import { logRequest } from "../telemetry/log.ts";
import { addLimitHeaders, addReplyHeaders, type RateLimitReport } from "./reply_headers.ts";

/** What becomes known about a request while it is answered. */
export interface Observed {
  readonly requestId: string;
  readonly method: string;
  /** The TCP peer's address. */
  readonly remoteAddress: string | undefined;
  /** The route template, once a route has matched. */
  route?: string;
  workspaceId?: string | undefined;
  certificatePin?: string | undefined;
  rateLimit?: RateLimitReport;
  /** Reads the other limits of the caller, in their present state. */
  readLimits?: () => readonly LimitReport[];
  /** Turns that the request releases when its reply's head is ready. A streamed body takes its own turns. */
  readonly underWay: DisposableStack;
  /** The calling instance, once its token's signature was verified: the reply carries a token for it. */
  replyTo?: ReplyTo;
  /** Checks the body's bytes before they are parsed, if the caller is another instance. */
  acceptBody?: (body: Uint8Array) => Promise<void>;
  /** The credentials of the caller, if it is another instance. */
  presented?: Presented;
  errorCode?: string;
  /** Whether it was refused because of the caller's fault. */
  isCallersFault?: boolean;
}

const CALLERS_REQUEST_ID = /^[!-~]{1,128}$/;

/** Answers a request and records it in the telemetry; `answer` turns every fault into a reply itself. */
export function observe(
  deps: Deps,
  request: Request,
  info: Partial<Deno.ServeHandlerInfo> | undefined,
  answer: (observed: Observed) => Promise<Response>,
): Promise<Response> {
  const { log, metrics, tracer } = deps.telemetry;
  const started = performance.now();
  const { method, headers } = request;
  const asked = headers.get("x-request-id");
  const requestId = asked !== null && CALLERS_REQUEST_ID.test(asked) ? asked : crypto.randomUUID();
  const observed: Observed = {
    requestId,
    method,
    remoteAddress: remoteAddressOf(info),
    underWay: new DisposableStack(),
  };
  return tracer.request({ method, requestId, headers }, async (span) => {
    let response: Response;
    try {
      response = await answer(observed);
      if (observed.replyTo !== undefined) response = await proveReply(deps, observed.replyTo, response);
    } finally {
      observed.underWay.dispose();
    }
    response.headers.set("x-request-id", requestId);
    addReplyHeaders(response.headers);
    addLimitHeaders(response.headers, observed.rateLimit, observed.readLimits?.() ?? []);
    const { route, workspaceId, certificatePin, errorCode, isCallersFault = false } = observed;
    const { status } = response;
    const durationMs = performance.now() - started;
    if (route !== undefined) span.setRoute(route);
    span.setStatus(status);
    metrics.observeRequest({ method, endpoint: route, status, durationMs, errorCode });
    const traceId = tracer.traceId();
    const line = { requestId, method, route, status, durationMs, workspaceId, certificatePin, errorCode, traceId };
    logRequest(log, line, isCallersFault);
    return response;
  });
}

/** Returns the reply with a token that proves which instance sent it. Error replies get one, too. */
async function proveReply(deps: Deps, to: ReplyTo, response: Response): Promise<Response> {
  const body = new Uint8Array(await response.arrayBuffer());
  const token = await mintReplyToken(deps, to, response.status, body);
  const proven = new Response(body, response);
  if (token !== undefined) proven.headers.set(TOKEN_HEADER, token);
  return proven;
}

/**
 * Converts an error to the refusal that the caller gets. An unexpected error is logged, and the caller gets only its
 * request id.
 */
export function toRefusal(deps: Deps, observed: Observed, error: unknown, signal: AbortSignal): ServiceError {
  const known = toServiceError(error, signal);
  observed.errorCode = known.code;
  observed.isCallersFault = known.isCallersFault;
  if (known.code === "internal") {
    const { requestId, method, route } = observed;
    requestFailed(deps.telemetry.log, { requestId, method, route, error });
  }
  return known;
}

function toServiceError(error: unknown, signal: AbortSignal): ServiceError {
  if (error instanceof ServiceError && error.code !== "internal") return error;
  if (signal.aborted && error === signal.reason) {
    const message = "Cannot finish the request: the caller has gone";
    return new ServiceError("unavailable", message, { cause: error, isCallersFault: true });
  }
  return new ServiceError("internal", "Cannot finish the request: an unexpected error occurred", { cause: error });
}

function remoteAddressOf(info: Partial<Deno.ServeHandlerInfo> | undefined): string | undefined {
  const address = info?.remoteAddr;
  return address?.transport === "tcp" ? address.hostname : undefined;
}
