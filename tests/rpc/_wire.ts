/** Requests as they stand on the wire, and replies read from it: for what no client sends. */
import { ConnectError } from "@connectrpc/connect";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { codeToString, endStreamFromJson, errorFromJsonBytes } from "@connectrpc/connect/protocol-connect";
import { findTrailerError } from "@connectrpc/connect/protocol-grpc";
import { trailerParse } from "@connectrpc/connect/protocol-grpc-web";
import { ErrorDetailSchema } from "../../src/gen/svc/v1/svc_pb.ts";

/** An enveloped message. */
export function frame(data: string | Uint8Array<ArrayBuffer>, flags = 0): Uint8Array<ArrayBuffer> {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  return encodeEnvelope(flags, bytes) as Uint8Array<ArrayBuffer>;
}

export function joined(...parts: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return bytes;
}

/** A body that begins so and does not go on. */
export function stalled(beginning: string | Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const bytes = typeof beginning === "string" ? new TextEncoder().encode(beginning) : beginning;
  return new ReadableStream({ start: (controller) => controller.enqueue(bytes) });
}

export interface Outcome {
  readonly status: number;
  readonly headers: Headers;
  /** Connect's name of the code, as it is on the wire; `ok`; undefined where HTTP's status says all. */
  readonly code: string | undefined;
  readonly message: string;
  /** The service's code. */
  readonly detail: string | undefined;
}

/** Reads a whole reply in any form of the wire. */
export async function outcomeOf(response: Response): Promise<Outcome> {
  const { status, headers } = response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const type = headers.get("content-type") ?? "";
  const error = /^application\/(connect|grpc-web)\+/.test(type)
    ? lastOf(bytes, type)
    : status !== 200 && type === "application/json"
    ? errorFromJsonBytes(bytes, undefined, new ConnectError("no error's JSON"))
    : undefined;
  const code = error ? codeToString(error.code) : status === 200 ? "ok" : undefined;
  const detail = error?.findDetails(ErrorDetailSchema)[0]?.code;
  return { status, headers, code, message: error?.rawMessage ?? "", detail };
}

/** The error of the end of a stream. */
function lastOf(bytes: Uint8Array<ArrayBuffer>, type: string): ConnectError | undefined {
  let at = 0;
  for (;;) {
    const length = new DataView(bytes.buffer).getUint32(at + 1);
    const data = bytes.subarray(at + 5, at + 5 + length);
    at += 5 + length;
    if (at > bytes.byteLength) throw new Error("a reply without an end");
    if (at < bytes.byteLength) continue;
    return type.includes("grpc-web") ? findTrailerError(trailerParse(data)) : endStreamFromJson(data).error;
  }
}
