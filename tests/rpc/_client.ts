/** Calls of RPCs: as plain JSON, and with the library's own clients. */
import assert from "node:assert/strict";
import { type DescMethod, fromJson, type JsonValue } from "@bufbuild/protobuf";
import { type Client, Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { type Compression, createFetchClient } from "@connectrpc/connect/protocol";
import { createTransport as createConnectTransport } from "@connectrpc/connect/protocol-connect";
import { createTransport as createGrpcWebTransport } from "@connectrpc/connect/protocol-grpc-web";
import { ErrorDetailSchema, SvcService } from "../../src/gen/svc/v1/svc_pb.ts";
import { revokeApiKey } from "../../src/domain/access/admin/api_keys.ts";
import { listApiKeys } from "../../src/domain/access/authorize.ts";
import { parseApiKey } from "../../src/crypto/api_key.ts";
import type { Reply, TestService } from "../_service.ts";
import { within } from "../_wait.ts";

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

/** What is called: a service in this process, or, with a `fetch` of its own, any. */
type Called = Pick<TestService, "key"> & Partial<Pick<TestService, "service">>;

function transportOf(service: Called, options: ClientOptions): Transport {
  const { key = service.key, protocol = "connect", compression, json } = options;
  const httpClient = createFetchClient(options.fetch ?? ((request) => service.service!.fetch(request as Request)));
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

export function clientOf(service: Called, options: ClientOptions = {}): SvcClient {
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

/** How a call is refused. */
export async function errorOf(call: Promise<unknown>) {
  try {
    await within("the end of the call", call, 60_000);
  } catch (error) {
    const known = ConnectError.from(error);
    return { code: Code[known.code], message: known.rawMessage, detail: known.findDetails(ErrorDetailSchema)[0] };
  }
  return { code: "ok", message: "", detail: undefined };
}

/** The next message of a stream that goes on. @throws Error when there is none in time */
export async function next<T>(stream: AsyncIterator<T>): Promise<T> {
  const { done, value } = await within("the next message", stream.next());
  assert.ok(!done, "the stream has ended");
  return value;
}

/** That a stream whose caller has hung up gives nothing more. */
export async function assertHungUp(stream: AsyncIterator<unknown>): Promise<void> {
  await assert.rejects(within("the end of the stream", stream.next()), ConnectError);
}

/** Connect's code and the service's. */
export async function refusalOf(call: Promise<unknown>): Promise<{ code: string; detail: string | undefined }> {
  const { code, detail } = await errorOf(call);
  return { code, detail: detail?.code };
}

/** Calls an RPC of any kind with one request, given as JSON, and returns its first reply. */
// deno-lint-ignore no-explicit-any
export async function invoke(client: SvcClient, method: DescMethod, json: unknown): Promise<any> {
  const request = fromJson(method.input, json as JsonValue);
  // deno-lint-ignore no-explicit-any
  const call = (client as any)[method.localName];
  const requests = async function* () {
    yield request;
  };
  const isFromStream = method.methodKind === "client_streaming" || method.methodKind === "bidi_streaming";
  const input = isFromStream ? requests() : request;
  if (method.methodKind === "unary" || method.methodKind === "client_streaming") return await call(input);
  for await (const reply of call(input)) return reply;
}

/** Revokes a key of the first workspace. */
export async function revoke(service: TestService, key: string): Promise<void> {
  const listed = await listApiKeys(service.operator());
  const { keyId } = listed.find(({ publicId }) => publicId === parseApiKey(key)!.publicId)!;
  await revokeApiKey(service.operator(), keyId);
}
