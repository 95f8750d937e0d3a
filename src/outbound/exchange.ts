/** One request and its reply over an open connection. The client bounds how much it reads, and how long it waits. */
import { type Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import type { Target } from "./addresses.ts";
import { OutboundError } from "./failure.ts";
import type { OutboundReply, OutboundRequest } from "./request.ts";
import type { Connection } from "./socket.ts";

const IDLE_MS = 15_000;
const HEAD_BYTES_MAX = 65_536;

/** The connection broke before the status came. */
export class UnansweredError extends OutboundError {}

interface Exchange {
  readonly request: OutboundRequest;
  readonly target: Target;
  /** Aborted when the caller gives up, or when the deadline is over. */
  readonly ended: AbortSignal;
}

/**
 * Sends a request over the connection of an agent, and reads the whole reply.
 * @throws OutboundError; the connection cannot be used after that
 */
export function exchange(
  kept: Agent & { readonly connection: Connection },
  { request, target, ended }: Exchange,
): Promise<OutboundReply> {
  const { promise, resolve, reject } = Promise.withResolvers<OutboundReply>();
  const { host } = target;
  const refuse = (reason: OutboundError["reason"], why: string, cause?: unknown) =>
    reject(new OutboundError(reason, `Cannot call ${host}: ${why}`, { cause }));
  let idle: ReturnType<typeof setTimeout> | undefined;
  const noteLife = () => {
    clearTimeout(idle);
    idle = setTimeout(() => refuse("timeout", "it sent nothing for too long"), request.idleMs ?? IDLE_MS);
  };
  const onAbort = () => refuse("aborted", "the call was aborted");
  let sent: ClientRequest | undefined;
  try {
    if (ended.aborted) onAbort();
    ended.addEventListener("abort", onAbort, { once: true });
    noteLife();
    sent = requestHttp({
      agent: kept,
      method: request.method,
      path: `${target.url.pathname}${target.url.search}`,
      headers: headersOf(request, target),
      maxHeaderSize: HEAD_BYTES_MAX,
    });
    sent.once("response", (reply) => {
      noteLife();
      readReply(reply, request, { noteLife, refuse, done: resolve, certificate: kept.connection.certificate });
    });
    sent.on("error", (error: Error & { code?: string }) => {
      if (error.code === "HPE_HEADER_OVERFLOW") {
        return refuse("head_too_large", `its head is over ${HEAD_BYTES_MAX} bytes`);
      }
      if (error.code?.startsWith("HPE_")) return refuse("broken", "it does not speak HTTP/1.1", error);
      reject(new UnansweredError("broken", `Cannot call ${host}: the connection broke`, { cause: error }));
    });
    // If the server closes the connection properly before it replies, this is the only event.
    sent.once("close", () => reject(new UnansweredError("broken", `Cannot call ${host}: the connection was closed`)));
    sent.end(request.body);
  } catch (error) {
    refuse("broken", "the request cannot be written", error);
  }
  return promise.catch((error) => {
    sent?.destroy();
    throw error;
  }).finally(() => {
    clearTimeout(idle);
    ended.removeEventListener("abort", onAbort);
  });
}

function headersOf({ headers, body }: OutboundRequest, { url }: Target): Record<string, string | number> {
  return {
    host: url.host,
    "accept-encoding": "identity",
    ...headers,
    ...(body && { "content-length": body.length }),
  };
}

interface Reading {
  readonly noteLife: () => void;
  readonly refuse: (reason: OutboundError["reason"], why: string) => void;
  readonly done: (reply: OutboundReply) => void;
  readonly certificate: OutboundReply["certificate"];
}

function readReply(
  reply: IncomingMessage,
  { replyBytesMax, isBeginningEnough = false }: OutboundRequest,
  { noteLife, refuse, done, certificate }: Reading,
): void {
  // After a refusal the connection is destroyed; the errors that this causes are ignored.
  reply.on("error", () => refuse("broken", "its reply is incomplete"));
  const status = reply.statusCode!;
  if (status >= 300 && status < 400) return refuse("redirected", `it redirects with ${status}`);
  const encoding = reply.headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") return refuse("encoded", "its reply is compressed");
  const pieces: Uint8Array[] = [];
  let size = 0;
  const finish = (isCut: boolean) => {
    const body = new Uint8Array(Math.min(size, replyBytesMax));
    let at = 0;
    for (const piece of pieces) {
      body.set(piece.subarray(0, body.length - at), at);
      at += Math.min(piece.length, body.length - at);
    }
    done({ status, headers: toHeaders(reply.rawHeaders), body, certificate, isCut });
  };
  reply.on("data", (piece: Uint8Array) => {
    noteLife();
    const isOver = size > replyBytesMax;
    size += piece.length;
    // The client drops what comes after the cap, until the connection is closed.
    if (!isOver && (size <= replyBytesMax || isBeginningEnough)) pieces.push(piece);
    if (size <= replyBytesMax) return;
    if (isBeginningEnough) finish(true);
    else refuse("body_too_large", `its reply is over ${replyBytesMax} bytes`);
  });
  reply.once("end", () => {
    if (reply.complete) finish(false);
    else refuse("broken", "its reply is incomplete");
  });
  reply.once("close", () => refuse("broken", "its reply is incomplete"));
}

function toHeaders(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let i = 0; i < raw.length; i += 2) headers.append(raw[i], raw[i + 1]);
  return headers;
}
