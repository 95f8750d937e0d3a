/** Around every request: its id, its span, its metrics, its log line, and the one place where errors become replies. */
import type { Context, MiddlewareHandler } from "hono";
import type { Deps } from "../../context.ts";
import { ServiceError } from "../../errors.ts";
import { requestFailed } from "../../telemetry/events.ts";
import { logRequest } from "../../telemetry/log.ts";
import { toProblemResponse } from "../problem.ts";
import { addRateLimitHeaders, addReplyHeaders, type RateLimitReport } from "./reply_headers.ts";

/** What requests carry through Hono. */
export interface ObservedEnv {
  Bindings: Partial<Deno.ServeHandlerInfo>;
  Variables: {
    requestId: string;
    /** The TCP peer's address. */
    remoteAddress: string | undefined;
    /** The route template, once a route has matched. */
    route: string | undefined;
    workspaceId: string | undefined;
    certificatePin: string | undefined;
    rateLimit: RateLimitReport | undefined;
    errorCode: string | undefined;
  };
}

const CALLERS_REQUEST_ID = /^[!-~]{1,128}$/;

export function observe(deps: Deps): MiddlewareHandler<ObservedEnv> {
  const { log, metrics, tracer } = deps.telemetry;
  return (c, next) => {
    const started = performance.now();
    const { method, headers } = c.req.raw;
    const asked = headers.get("x-request-id");
    const requestId = asked !== null && CALLERS_REQUEST_ID.test(asked) ? asked : crypto.randomUUID();
    c.set("requestId", requestId);
    c.set("remoteAddress", remoteAddressOf(c));
    return tracer.request({ method, requestId, headers }, async (span) => {
      await next();
      c.res.headers.set("x-request-id", requestId);
      addReplyHeaders(c.res.headers);
      if (c.var.rateLimit) addRateLimitHeaders(c.res.headers, c.var.rateLimit);
      const { route, workspaceId, certificatePin, errorCode } = c.var;
      const { status } = c.res;
      const durationMs = performance.now() - started;
      if (route !== undefined) span.setRoute(route);
      span.setStatus(status);
      metrics.observeRequest({ method, endpoint: route, status, durationMs, errorCode });
      logRequest(log, {
        requestId,
        method,
        route,
        status,
        durationMs,
        workspaceId,
        certificatePin,
        errorCode,
        traceId: tracer.traceId(),
      });
    });
  };
}

/** Hono's error handler: refusals are told, anything else is logged and tells nothing but its request id. */
export function replyToError(deps: Deps): (error: unknown, c: Context<ObservedEnv>) => Response {
  return (error, c) => {
    const known = toServiceError(error, c.req.raw.signal);
    c.set("errorCode", known.code);
    if (known.code === "internal") {
      const { requestId, route } = c.var;
      requestFailed(deps.telemetry.log, { requestId, method: c.req.method, route, error });
    }
    return toProblemResponse(known, c.get("requestId"));
  };
}

function toServiceError(error: unknown, signal: AbortSignal): ServiceError {
  if (error instanceof ServiceError && error.code !== "internal") return error;
  if (signal.aborted && error === signal.reason) {
    return new ServiceError("unavailable", "Cannot finish the request: the caller has gone", { cause: error });
  }
  return new ServiceError("internal", "Cannot finish the request: an unexpected error", { cause: error });
}

function remoteAddressOf(c: Context<ObservedEnv>): string | undefined {
  const address = c.env?.remoteAddr;
  return address?.transport === "tcp" ? address.hostname : undefined;
}
