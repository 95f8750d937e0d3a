/**
 * Reads the heads of requests in Connect and gRPC-Web, once and strictly. The library, which ignores or refuses some
 * features of the protocols, gets a head of its own: a POST of uncompressed messages.
 */
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { ServiceError } from "../errors.ts";
import { GZIP } from "./gzip.ts";
import { readMediaType } from "./media_type.ts";
import { type Rpc, timeoutMaxOf } from "./rpc.ts";

/** A form of messages in a body, and the headers that describe them. */
interface Protocol {
  readonly typePrefix: "application/" | "application/connect+" | "application/grpc-web+";
  /** Each message has a head with its length. */
  readonly isEnveloped: boolean;
  readonly isGrpcWeb: boolean;
  readonly encodingName: string;
  /** In a request: the compressions that a reply may have. In a reply: those that a request may have. */
  readonly acceptEncodingName: string;
  readonly timeoutName: string;
}

const CONNECT_UNARY: Protocol = {
  typePrefix: "application/",
  isEnveloped: false,
  isGrpcWeb: false,
  encodingName: "content-encoding",
  acceptEncodingName: "accept-encoding",
  timeoutName: "connect-timeout-ms",
};

const CONNECT_STREAM: Protocol = {
  ...CONNECT_UNARY,
  typePrefix: "application/connect+",
  isEnveloped: true,
  encodingName: "connect-content-encoding",
  acceptEncodingName: "connect-accept-encoding",
};

const GRPC_WEB: Protocol = {
  typePrefix: "application/grpc-web+",
  isEnveloped: true,
  isGrpcWeb: true,
  encodingName: "grpc-encoding",
  acceptEncodingName: "grpc-accept-encoding",
  timeoutName: "grpc-timeout",
};

/** Classic gRPC is not among them: it needs trailers, which the server cannot send. */
const PROTOCOLS: Readonly<Record<"one" | "many", readonly Protocol[]>> = {
  one: [CONNECT_UNARY, GRPC_WEB],
  many: [CONNECT_STREAM, GRPC_WEB],
};

const FORMATS = ["json", "proto"] as const;
type Format = typeof FORMATS[number];

/** The information in a request's head about its messages. */
export interface RpcHead {
  readonly protocol: Protocol;
  readonly format: Format;
  /** The parameters of the address, which hold the message of a GET. */
  readonly query: URLSearchParams | undefined;
  /** Whether messages are compressed by gzip. */
  readonly isCompressed: boolean;
  /** How long the caller waits, in milliseconds, at most as long as the RPC may take. */
  readonly timeoutMs: number | undefined;
  /** The fault of the head, which is reported when the caller is admitted. */
  readonly fault: ServiceError | undefined;
}

/** Reads a request's head, or returns the reply to one of no protocol: 405 with `allow`, 415 with `accept-post`. */
export function readHead({ method, url, headers }: Request, rpc: Rpc): RpcHead | Response {
  const isSafe = rpc.method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  const allowed = rpc.kind === "unary" && isSafe ? ["GET", "POST"] : ["POST"];
  if (!allowed.includes(method)) return new Response(null, { status: 405, headers: { allow: allowed.join(", ") } });
  const protocols = PROTOCOLS[rpc.kind === "unary" ? "one" : "many"];
  const query = method === "GET" ? new URL(url).searchParams : undefined;
  const found = query === undefined ? readContentType(protocols, headers.get("content-type")) : readEncoding(query);
  if (found === undefined) {
    return new Response(null, { status: 415, headers: { "accept-post": protocols.flatMap(typesOf).join(", ") } });
  }
  const { protocol } = found;
  const encoding = query === undefined ? headers.get(protocol.encodingName) : query.get("compression");
  const isCompressed = encoding?.toLowerCase() === GZIP.name;
  const timeout = headers.get(protocol.timeoutName);
  const timeoutMs = timeout === null ? undefined : readTimeout(protocol, timeout);
  let fault: ServiceError | undefined;
  if (!protocol.isGrpcWeb && !isVersionOne(headers, query)) {
    fault = new ServiceError("invalid_request", "Cannot read the request: its protocol version is not 1");
  } else if (encoding !== null && encoding.toLowerCase() !== "identity" && !isCompressed) {
    const message = `Cannot read the message: its compression is unknown; supported is ${GZIP.name}`;
    fault = new ServiceError("unsupported_media_type", message);
  } else if (timeoutMs !== undefined && Number.isNaN(timeoutMs)) {
    fault = new ServiceError("invalid_request", `Cannot read ${protocol.timeoutName}: it is not a timeout`);
  }
  return {
    ...found,
    query,
    isCompressed,
    timeoutMs: fault === undefined && timeoutMs !== undefined ? Math.min(timeoutMs, timeoutMaxOf(rpc)) : undefined,
    fault,
  };
}

/**
 * Returns the request's headers as the Connect library gets them. They name no compression of the request and no
 * timeout, because the call's `body()` has decompressed the messages and the call itself enforces the timeout.
 */
export function headersForLibrary(headers: Headers, { protocol, format, isCompressed }: RpcHead): Headers {
  const kept = new Headers(headers);
  for (const name of ["content-length", "connect-protocol-version", protocol.encodingName, protocol.timeoutName]) {
    kept.delete(name);
  }
  kept.set("content-type", `${protocol.typePrefix}${format}`);
  // A caller that names no compression for replies accepts its own.
  if (isCompressed && !kept.has(protocol.acceptEncodingName)) kept.set(protocol.acceptEncodingName, GZIP.name);
  return kept;
}

/** Names the compressions that the caller's messages may have. */
export function addAcceptEncoding(headers: Headers, { protocol }: RpcHead): void {
  headers.set(protocol.acceptEncodingName, GZIP.name);
}

function typesOf(protocol: Protocol): string[] {
  return [
    ...protocol.isGrpcWeb ? ["application/grpc-web"] : [],
    ...FORMATS.map((format) => `${protocol.typePrefix}${format}`),
  ];
}

interface Found {
  readonly protocol: Protocol;
  readonly format: Format;
}

function readContentType(protocols: readonly Protocol[], contentType: string | null): Found | undefined {
  const type = readMediaType(contentType ?? "");
  const protocol = type && protocols.find((protocol) => typesOf(protocol).includes(type.essence));
  // Other parameters do not change how a message is read.
  if (protocol === undefined || !/^utf-?8$/i.test(type!.parameters.get("charset") ?? "utf-8")) return undefined;
  return { protocol, format: type!.essence.endsWith("json") ? "json" : "proto" };
}

function readEncoding(query: URLSearchParams): Found | undefined {
  const format = FORMATS.find((format) => format === query.get("encoding"));
  return format && { protocol: CONNECT_UNARY, format };
}

/** A request need not name the version. */
function isVersionOne(headers: Headers, query: URLSearchParams | undefined): boolean {
  return (headers.get("connect-protocol-version") ?? "1") === "1" && (query?.get("connect") ?? "v1") === "v1";
}

const GRPC_UNITS_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };

/** The timeout in milliseconds; NaN for an invalid one. */
function readTimeout({ isGrpcWeb }: Protocol, text: string): number {
  if (!isGrpcWeb) return /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  const [, digits, unit] = /^(\d{1,8})([HMSmun])$/.exec(text) ?? [];
  return Number(digits) * (GRPC_UNITS_MS[unit!] ?? NaN);
}
