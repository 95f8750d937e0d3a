/** Calls of RPCs: as plain JSON, and with the library's own clients. */
import assert from "node:assert/strict";
import { type Client, Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { type Compression, createFetchClient } from "@connectrpc/connect/protocol";
import { createTransport as createConnectTransport } from "@connectrpc/connect/protocol-connect";
import { createTransport as createGrpcWebTransport } from "@connectrpc/connect/protocol-grpc-web";
import { ErrorDetailSchema, SvcService } from "../../src/gen/svc/v1/svc_pb.ts";
import type { Reply, TestService } from "../_service.ts";

export type SvcClient = Client<typeof SvcService>;

export const PREFIX = "/svc.v1.SvcService";

export interface ClientOptions {
  readonly key?: string | null;
  readonly protocol?: "connect" | "grpc-web";
  /** Protobuf unless said. */
  readonly json?: boolean;
  /** Compresses what is sent, and is offered for replies. */
  readonly compression?: Compression;
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of the service's own `fetch`. */
  readonly fetch?: typeof fetch;
  readonly baseUrl?: string;
}

export function transportOf(service: TestService, options: ClientOptions = {}): Transport {
  const { key = service.key, protocol = "connect", compression, json } = options;
  const httpClient = createFetchClient(options.fetch ?? ((request) => service.service.fetch(request as Request)));
  const create = protocol === "connect" ? createConnectTransport : createGrpcWebTransport;
  return create({
    httpClient,
    baseUrl: options.baseUrl ?? "http://svc.test",
    useBinaryFormat: json !== true,
    interceptors: [(next) => (request) => {
      if (key !== null) request.header.set("authorization", `Bearer ${key}`);
      for (const [name, value] of Object.entries(options.headers ?? {})) request.header.set(name, value);
      return next(request);
    }],
    acceptCompression: compression === undefined ? [] : [compression],
    sendCompression: compression ?? null,
    compressMinBytes: 0,
    readMaxBytes: 33_554_432,
    writeMaxBytes: 0xffffffff,
  });
}

export function clientOf(service: TestService, options: ClientOptions = {}): SvcClient {
  return createClient(SvcService, transportOf(service, options));
}

/** One call as any HTTP client would make it. */
export function callRpc(
  service: TestService,
  name: string,
  body: unknown,
  options: { key?: string | null; headers?: HeadersInit } = {},
): Promise<Reply> {
  return service.post(`${PREFIX}/${name}`, body, options);
}

/** The service's own refusal inside of a Connect error. */
// deno-lint-ignore no-explicit-any
export function detailOf(body: any) {
  const [detail] = body.details ?? [];
  assert.equal(detail?.type, "svc.v1.ErrorDetail", JSON.stringify(body));
  return detail.debug;
}

/** How a call is refused: Connect's code and the service's. */
export async function refusalOf(call: Promise<unknown>): Promise<{ code: string; detail: string | undefined }> {
  try {
    await call;
  } catch (error) {
    const known = ConnectError.from(error);
    return { code: Code[known.code], detail: known.findDetails(ErrorDetailSchema)[0]?.code };
  }
  return { code: "ok", detail: undefined };
}
