/**
 * Request bodies before the RPC library reads them: bounded in size, in time and in number, and refused with the
 * service's own codes where they cannot be read.
 */
import type { DescMessage } from "@bufbuild/protobuf";
import { tooLarge } from "../edge/admit.ts";
import { type BodyLimits, readBytes } from "../edge/read_bytes.ts";
import { ServiceError } from "../errors.ts";
import { gunzipBounded, GZIP } from "./gzip.ts";
import { checkMessage } from "./message.ts";

/** How messages stand in a body. */
export interface WireForm {
  readonly isJson: boolean;
  /** Each message has a head with its length: all streams, and all of gRPC-Web. */
  readonly isEnveloped: boolean;
  /** What compresses messages. */
  readonly encoding: string | null;
  readonly isGrpcWeb: boolean;
}

const CONTENT_TYPE = /^application\/(connect\+|grpc-web(?:\+|$))?(json|proto)?\s*(?:;|$)/i;

/** Undefined for a media type that no protocol here has. */
export function readWireForm(headers: Headers): WireForm | undefined {
  const match = CONTENT_TYPE.exec(headers.get("content-type") ?? "");
  if (match === null) return undefined;
  const [, prefix, format] = match;
  const isEnveloped = prefix !== undefined;
  const isGrpcWeb = isEnveloped && /^grpc-web/i.test(prefix);
  const name = isGrpcWeb ? "grpc-encoding" : isEnveloped ? "connect-content-encoding" : "content-encoding";
  return { isJson: format?.toLowerCase() === "json", isEnveloped, encoding: headers.get(name), isGrpcWeb };
}

/**
 * Refuses a head that the library would refuse in its own words, without the service's code.
 * @param timeoutMs what the library made of the timeout that the head names
 * @throws ServiceError `unsupported_media_type` for a compression that is not known, `invalid_request` for a timeout
 */
export function checkHead(
  { method, url, headers }: Request,
  timeoutMs: number | undefined,
  timeoutMaxMs: number,
): void {
  const form = readWireForm(headers);
  const encoding = method === "GET" ? new URL(url).searchParams.get("compression") : form?.encoding ?? null;
  if (encoding !== null && encoding !== "identity" && (encoding !== GZIP.name || method === "GET")) {
    const name = form?.isGrpcWeb ? "grpc-" : form?.isEnveloped ? "connect-" : "";
    throw new ServiceError("unsupported_media_type", "Cannot read the message: its compression is not gzip", {
      headers: { [`${name}accept-encoding`]: GZIP.name },
    });
  }
  const name = form?.isGrpcWeb ? "grpc-timeout" : "connect-timeout-ms";
  if (headers.has(name) && !(timeoutMs! <= timeoutMaxMs)) {
    throw new ServiceError("invalid_request", `Cannot read ${name}: it is no time of at most ${timeoutMaxMs} ms`);
  }
}

/** `bytesMax` is of all messages together, on the wire and also after they are inflated. */
export interface StreamLimits extends BodyLimits {
  /** Of one message, also after it is inflated. */
  readonly messageBytesMax: number;
  readonly messagesMax: number;
  /** Ends the reading with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The body's bytes, message by message where it has several. Each was read whole and checked.
 *
 * `limits.deadlineMs` is the time for each message, and so for the whole body where there is one message.
 * @throws ServiceError `payload_too_large`, `deadline_exceeded`, `invalid_request`, `validation_failed`
 */
export async function* checkedBody(
  request: Request,
  input: DescMessage,
  form: WireForm,
  limits: StreamLimits,
): AsyncGenerator<Uint8Array> {
  let total = 0;
  const check = async (bytes: Uint8Array, isCompressed: boolean) => {
    if (isCompressed && form.encoding !== GZIP.name) {
      throw new ServiceError("invalid_request", "Cannot read the message: nothing says what it is compressed with");
    }
    const message = isCompressed ? await gunzipBounded(bytes, limits.messageBytesMax) : bytes;
    total += message.byteLength;
    // What was small on the wire is not kept by whoever puts the messages together.
    if (total > limits.bytesMax) throw tooLarge(limits.bytesMax);
    checkMessage(input, message, form.isJson);
  };
  if (!form.isEnveloped) {
    const bytes = await readBytes(request, { ...limits, bytesMax: limits.messageBytesMax });
    await check(bytes, form.encoding !== null && form.encoding !== "identity");
    yield bytes;
    return;
  }
  let messages = 0;
  for await (const envelope of readEnvelopes(request, limits)) {
    if (++messages > limits.messagesMax) {
      throw new ServiceError(
        "payload_too_large",
        `Cannot accept the message: the stream had ${limits.messagesMax}, which is the most`,
      );
    }
    await check(envelope.subarray(HEAD_BYTES), (envelope[0]! & COMPRESSED) !== 0);
    yield envelope;
  }
  if (messages === 0 && limits.messagesMax === 1) {
    throw new ServiceError("invalid_request", "Cannot read the message: there is none");
  }
}

/**
 * Checks the message that stands in the address of a GET.
 * @throws ServiceError `invalid_request`, `validation_failed`
 */
export function checkQuery(url: string, input: DescMessage): void {
  const { searchParams } = new URL(url);
  const text = searchParams.get("message") ?? "";
  let bytes: Uint8Array;
  try {
    bytes = searchParams.get("base64") === "1"
      ? Uint8Array.fromBase64(text.replaceAll("+", "-").replaceAll("/", "_"), { alphabet: "base64url" })
      : new TextEncoder().encode(text);
  } catch (cause) {
    throw new ServiceError("invalid_request", "Cannot read the message: it is not base64", { cause });
  }
  checkMessage(input, bytes, searchParams.get("encoding") === "json");
}

/** One byte of flags, four of length, big-endian. */
const HEAD_BYTES = 5;
const COMPRESSED = 1;

async function* readEnvelopes(request: Request, limits: StreamLimits): AsyncGenerator<Uint8Array> {
  if (request.body === null) return;
  const { bytesMax, messageBytesMax, deadlineMs, signal } = limits;
  const reader = request.body.getReader();
  let fault: unknown;
  const giveUp = (reason: unknown) => {
    fault ??= reason;
    reader.cancel(reason).catch(() => {});
  };
  const onAbort = () => giveUp(signal!.reason);
  signal?.addEventListener("abort", onAbort);
  if (signal?.aborted) onAbort();
  const queue = new ByteQueue();
  let total = 0;
  /** Reads until `length` bytes are there; false at the end of the body. */
  const fill = async (length: number) => {
    while (queue.length < length) {
      const { done, value } = await reader.read().catch((cause) => {
        throw fault ?? new ServiceError("invalid_request", "Cannot read the body: it broke off", { cause });
      });
      if (fault !== undefined) throw fault;
      if (done) return false;
      total += value.byteLength;
      if (total > bytesMax) throw tooLarge(bytesMax);
      queue.push(value);
    }
    return true;
  };
  try {
    for (;;) {
      const timer = setTimeout(() => giveUp(late()), deadlineMs);
      let envelope: Uint8Array;
      try {
        if (!await fill(HEAD_BYTES)) {
          if (queue.length === 0) return;
          throw new ServiceError("invalid_request", "Cannot read the body: it broke off");
        }
        const length = new DataView(queue.peek(HEAD_BYTES).buffer).getUint32(1);
        if (length > messageBytesMax) throw tooLarge(messageBytesMax);
        if (!await fill(HEAD_BYTES + length)) {
          throw new ServiceError("invalid_request", "Cannot read the body: it broke off");
        }
        envelope = queue.peek(HEAD_BYTES + length);
        queue.drop(envelope.byteLength);
      } finally {
        clearTimeout(timer);
      }
      yield envelope;
    }
  } finally {
    signal?.removeEventListener("abort", onAbort);
    await reader.cancel().catch(() => {});
  }
}

function late(): ServiceError {
  return new ServiceError("deadline_exceeded", "Cannot read the body: the next message took too long");
}

/** Bytes as they arrive, in the pieces in which they arrive: no byte is copied more than twice. */
class ByteQueue {
  readonly #chunks: Uint8Array[] = [];
  /** How much of the first chunk is gone. */
  #offset = 0;
  length = 0;

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.length += chunk.byteLength;
  }

  /** A copy of the first `length` bytes, which have to be there. */
  peek(length: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(length);
    let offset = this.#offset;
    for (let i = 0, filled = 0; filled < length; i++, offset = 0) {
      const part = this.#chunks[i]!.subarray(offset, offset + length - filled);
      bytes.set(part, filled);
      filled += part.byteLength;
    }
    return bytes;
  }

  drop(length: number): void {
    this.length -= length;
    this.#offset += length;
    let gone = 0;
    while (gone < this.#chunks.length && this.#offset >= this.#chunks[gone]!.byteLength) {
      this.#offset -= this.#chunks[gone++]!.byteLength;
    }
    this.#chunks.splice(0, gone);
  }
}
