/**
 * Parses the heads of HTTP/1.1 messages as far as the front needs them: for the workspace of a request, and the end of
 * the message. It refuses a message whose end is ambiguous.
 */
import { Buffer } from "node:buffer";

/** The longest head that is accepted, in bytes. */
export const HEAD_BYTES_MAX = 65_536;

/** How the end of a message's body is found. `close`: the body ends with the connection. */
export type Framing = "none" | "chunked" | "close" | { readonly length: number };

/** A message that cannot be passed on. `status` is the HTTP status that its sender gets. */
export class HeadFault extends Error {
  constructor(readonly status: 400 | 431, message: string) {
    super(message);
  }
}

/** What the front knows of a request, in either protocol. */
export interface RequestHead {
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly target: string;
  /** The values of this header, joined by commas; `name` is in lower case. Null without such a header. */
  header(name: string): string | null;
}

/** The head of a request over HTTP/1.1. */
export interface Http1Head extends RequestHead {
  /** Bytes of the head with its empty line; `lineBytes`: of its first line with the line break. */
  readonly bytes: number;
  readonly lineBytes: number;
  readonly framing: Framing;
  /** Whether the request asks to switch to another protocol. */
  readonly isUpgrade: boolean;
  /** Whether the connection ends after the reply. */
  readonly isLast: boolean;
}

export interface ReplyHead {
  readonly bytes: number;
  readonly status: number;
  readonly framing: Framing;
  readonly isLast: boolean;
}

/** The prefix of headers that the front and its workers use between them. Callers may not send them. */
export const OWN_PREFIX = "svc-front-";
/** The caller's address and port, `192.0.2.1 51234`. */
export const PEER_HEADER = "svc-front-peer";
/**
 * Marks a question of the front to the worker itself. Its value `workspace` asks for the workspace of the request's
 * key.
 */
export const ASK_HEADER = "svc-front-ask";

/** The length of the head that `bytes` begin with; undefined while its end has not arrived. */
export function findHeadEnd(bytes: Uint8Array, from = 0): number | undefined {
  for (let at = bytes.indexOf(10, from); at !== -1; at = bytes.indexOf(10, at + 1)) {
    if (at >= 3 && bytes[at - 1] === 13 && bytes[at - 2] === 10 && bytes[at - 3] === 13) return at + 1;
  }
  return undefined;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const REQUEST_LINE = /^([A-Z]{1,32}) (\S+) HTTP\/1\.([01])$/;
const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})(?: |$)/;

/**
 * Parses the head of a request, which takes up all of `bytes`.
 * @throws HeadFault when it is not an HTTP/1.1 head, or when the end of the request is ambiguous
 */
export function readRequestHead(bytes: Uint8Array): Http1Head {
  const { first, headers } = readLines(bytes);
  const line = REQUEST_LINE.exec(first);
  if (line === null) throw new HeadFault(400, "its first line is not one of HTTP/1.1");
  const [, method, target, minor] = line;
  for (const name of headers.keys()) {
    if (name.startsWith(OWN_PREFIX)) throw new HeadFault(400, `callers may not send ${OWN_PREFIX} headers`);
  }
  const framing = framingOf(headers) ?? "none";
  if (framing === "chunked" && minor === "0") throw new HeadFault(400, "HTTP/1.0 has no chunks");
  const connection = listOf(headers, "connection");
  return {
    method: method!,
    target: target!,
    header: (name) => headers.get(name)?.join(", ") ?? null,
    bytes: bytes.length,
    lineBytes: first.length + 2,
    framing,
    isUpgrade: headers.has("upgrade") && connection.includes("upgrade"),
    isLast: connection.includes("close") || (minor === "0" && !connection.includes("keep-alive")),
  };
}

/**
 * Parses the head of the reply to a request with `method`.
 * @throws HeadFault when it is not an HTTP/1.1 head
 */
export function readReplyHead(bytes: Uint8Array, method: string): ReplyHead {
  const { first, headers } = readLines(bytes);
  const line = STATUS_LINE.exec(first);
  if (line === null) throw new HeadFault(400, "it is no reply of HTTP/1.1");
  const status = Number(line[1]);
  const isBodiless = method === "HEAD" || status < 200 || status === 204 || status === 304;
  const framing = isBodiless ? "none" : framingOf(headers) ?? "close";
  const isLast = framing === "close" || listOf(headers, "connection").includes("close");
  return { bytes: bytes.length, status, framing, isLast };
}

function readLines(bytes: Uint8Array): { first: string; headers: Map<string, string[]> } {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length - 4).toString("latin1");
  const [first = "", ...lines] = text.split("\r\n");
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon);
    if (colon < 1 || !TOKEN.test(name) || /[\r\n\0]/.test(line)) throw new HeadFault(400, "a header is malformed");
    const key = name.toLowerCase();
    const values = headers.get(key);
    const value = line.slice(colon + 1).trim();
    if (values === undefined) headers.set(key, [value]);
    else values.push(value);
  }
  return { first, headers };
}

function listOf(headers: Map<string, string[]>, name: string): string[] {
  return (headers.get(name) ?? []).flatMap((value) => value.toLowerCase().split(",").map((part) => part.trim()));
}

/** The framing that the headers state, by length or in chunks; undefined when they state none. */
function framingOf(headers: Map<string, string[]>): Framing | undefined {
  const codings = headers.get("transfer-encoding");
  const lengths = headers.get("content-length");
  if (codings !== undefined) {
    if (lengths !== undefined) throw new HeadFault(400, "it has a length and is in chunks");
    if (codings.length > 1 || codings[0]!.toLowerCase() !== "chunked") {
      throw new HeadFault(400, "the only transfer coding is chunked");
    }
    return "chunked";
  }
  if (lengths === undefined) return undefined;
  const [length] = lengths;
  if (lengths.length > 1 || !/^\d{1,15}$/.test(length!)) throw new HeadFault(400, "its length is no number");
  return length === "0" ? "none" : { length: Number(length) };
}
