/** Messages of the PostgreSQL protocol, version 3, as bytes: writing them, and finding them in what a backend sends. */
import { Buffer } from "node:buffer";

/** Types of the messages that `embedded_wire.ts` handles. PostgreSQL manual, "Message Formats". */
export const QUERY = 0x51;
export const SYNC = 0x53;
export const TERMINATE = 0x58;
export const COPY_DATA = 0x64;
export const COPY_DONE = 0x63;
export const COPY_FAIL = 0x66;
export const COPY_IN_RESPONSE = 0x47;
export const ERROR_RESPONSE = 0x45;

/** The byte that ends a list of fields. */
export const ZERO = Buffer.alloc(1);

/** A text in UTF-8 with the zero byte that ends it. */
export function cString(value: string): Buffer {
  return Buffer.from(`${value}\0`);
}

/** One message: its type, its length, then the parts. */
export function makeFrame(type: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(5);
  head[0] = type;
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** The reply to a startup message: it admits the client, reports `parameters`, and allows the first query. */
export function greeting(parameters: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat([
    makeFrame(0x52, Buffer.alloc(4)), // AuthenticationOk
    ...Object.entries(parameters).map(([name, value]) => makeFrame(0x53, cString(name), cString(value))), // ParameterStatus
    makeFrame(0x4b, Buffer.alloc(8)), // BackendKeyData: zeros, because a statement here cannot be cancelled
    makeFrame(0x5a, Buffer.from("I")), // ReadyForQuery
  ]);
}

/** The messages in `data`, in order. `whole` and `body` share its memory; an incomplete last message is left out. */
export function* framesOf(data: Buffer): Generator<{ type: number; whole: Buffer; body: Buffer }> {
  for (let at = 0; at + 5 <= data.length;) {
    const end = at + 1 + data.readUInt32BE(at + 1);
    yield { type: data[at], whole: data.subarray(at, end), body: data.subarray(at + 5, end) };
    at = end;
  }
}

/** The text for people in the body of an ErrorResponse. */
export function messageOf(body: Buffer): string {
  return body.toString("utf8").split("\0").find((field) => field.startsWith("M"))?.slice(1) ?? "unknown error";
}

/** Whether a message from the client begins a COPY … FROM STDIN. */
export function isCopyIn(message: Buffer): boolean {
  return message[0] === QUERY && /^\s*copy\b[^;]*\bfrom\s+stdin\b/i.test(message.toString("utf8", 5));
}

/** Leaves out the CopyInResponse: the multiplexer sent one to the client before the client sent its data. */
export function withoutCopyInResponse(data: Buffer): Buffer {
  return Buffer.concat([...framesOf(data)].filter(({ type }) => type !== COPY_IN_RESPONSE).map(({ whole }) => whole));
}
