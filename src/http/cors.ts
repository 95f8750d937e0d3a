/** Lets pages of listed origins call the service from a browser. Pages send keys themselves: no cookie plays a part. */
import { Hono } from "hono";
import { cors } from "hono/cors";
import { namesHost } from "../edge/refuse_host.ts";

type Answer = (request: Request, info?: Deno.ServeHandlerInfo) => Response | Promise<Response>;

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** What clients send to the HTTP API, to RPC (Connect and gRPC-Web) and to MCP. */
const REQUEST_HEADERS = [
  "authorization",
  "content-type",
  "idempotency-key",
  "if-match",
  "if-none-match",
  "x-request-id",
  "traceparent",
  "tracestate",
  "connect-protocol-version",
  "connect-timeout-ms",
  "connect-content-encoding",
  "connect-accept-encoding",
  "grpc-timeout",
  "x-grpc-web",
  "x-user-agent",
  "mcp-protocol-version",
  "mcp-method",
  "mcp-name",
  "mcp-session-id",
  "last-event-id",
];

/** What pages may read of a reply's head. */
const REPLY_HEADERS = [
  "x-request-id",
  "etag",
  "retry-after",
  "ratelimit",
  "ratelimit-policy",
  "idempotency-replayed",
  "content-disposition",
  "www-authenticate",
  "grpc-status",
  "grpc-message",
  "grpc-status-details-bin",
  "mcp-session-id",
];

/** For so long a browser need not ask again, in seconds. */
const MAX_AGE_SECONDS = 600;

/** The paths of administration and of the console, which no page of another origin calls. */
const OWN = /^\/(?:v1\/admin|console)(?:\/|$)/;

/**
 * Adds the headers of CORS to the replies to pages of some origins, and answers their preflights; everything else passes
 * unchanged. Without origins nothing is added at all.
 */
export function withCors(origins: readonly string[], answer: Answer): Answer {
  if (origins.length === 0) return answer;
  const app = new Hono<{ Bindings: Deno.ServeHandlerInfo }>();
  app.use(cors({
    origin: [...origins],
    allowMethods: METHODS,
    allowHeaders: REQUEST_HEADERS,
    exposeHeaders: REPLY_HEADERS,
    maxAge: MAX_AGE_SECONDS,
  }));
  app.all("*", (c) => answer(c.req.raw, c.env));
  return (request, info) => {
    const { headers, method, url } = request;
    // The reply to a WebSocket's request cannot be changed; browsers do not ask before it.
    const isPlain = headers.has("upgrade") || (method === "OPTIONS" && !headers.has("access-control-request-method"));
    return isPlain || !namesHost(request) || isOwn(url) ? answer(request, info) : app.fetch(request, info);
  };
}

function isOwn(url: string): boolean {
  const { pathname } = new URL(url);
  try {
    return OWN.test(decodeURI(pathname));
  } catch {
    // No route has such a path.
    return true;
  }
}
