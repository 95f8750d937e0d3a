/** The front's own replies: in the form of the service's replies, and as bytes of HTTP/1.1. */
import { problemOf } from "../edge/problem.ts";
import { addReplyHeaders } from "../edge/reply_headers.ts";
import type { ServiceError } from "../errors.ts";
import type { RequestHead } from "./head.ts";

const CALLERS_REQUEST_ID = /^[!-~]{1,128}$/;

/** The caller's request id, or a new one. */
export function requestIdOf(head: RequestHead): string {
  const asked = head.header("x-request-id");
  return asked !== null && CALLERS_REQUEST_ID.test(asked) ? asked : crypto.randomUUID();
}

/** A refusal as a problem document. */
export function refusalOf(error: ServiceError, head: RequestHead): Response {
  const requestId = requestIdOf(head);
  const response = new Response(JSON.stringify(problemOf(error, requestId)), {
    status: error.status,
    headers: { ...error.headers, "content-type": "application/problem+json", "x-request-id": requestId },
  });
  addReplyHeaders(response.headers);
  return response;
}

/** Makes a JSON reply of the front's own, with the request's id. */
export function jsonOf(head: RequestHead, body: unknown, status = 200): Response {
  const response = Response.json(body, { status, headers: { "x-request-id": requestIdOf(head) } });
  addReplyHeaders(response.headers);
  return response;
}

/** Formats a reply as HTTP/1.1. `length` is the `content-length`, which a reply to HEAD has without the body. */
export function formatReply(
  { status, headers }: Response,
  body: Uint8Array,
  isLast: boolean,
  length = body.length,
): Uint8Array {
  const lines = [`HTTP/1.1 ${status} ${REASONS[status] ?? ""}`];
  for (const [name, value] of headers) lines.push(`${name}: ${value}`);
  lines.push(`content-length: ${length}`, `date: ${new Date().toUTCString()}`);
  if (isLast) lines.push("connection: close");
  const head = new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n`);
  const bytes = new Uint8Array(head.length + body.length);
  bytes.set(head);
  bytes.set(body, head.length);
  return bytes;
}

const REASONS: Readonly<Record<number, string>> = {
  200: "OK",
  400: "Bad Request",
  401: "Unauthorized",
  431: "Request Header Fields Too Large",
  503: "Service Unavailable",
};
