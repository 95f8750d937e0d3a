/**
 * Checks request bodies before the RPC library reads them: it limits their size, time and number of messages, and
 * refuses unreadable ones with the service's own codes.
 */
import type { DescMessage } from "@bufbuild/protobuf";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { tooLarge } from "../edge/admit.ts";
import { type BodyLimits, readBytes } from "../edge/read_bytes.ts";
import { ServiceError } from "../errors.ts";
import { ProtocolError } from "./errors.ts";
import { gunzipBounded } from "./gzip.ts";
import type { RpcHead } from "./head.ts";
import { checkMessage } from "./message.ts";

/** `bytesMax` limits all messages together, both on the wire and inflated. */
export interface StreamLimits extends BodyLimits {
  /** Limits one message, also after it is inflated. */
  readonly messageBytesMax: number;
  readonly messagesMax: number;
}

/**
 * The messages of a request in the form for the library: complete, checked, and not compressed.
 *
 * `limits.deadlineMs` is the time for each message, and so for the whole body if it has one message.
 * @throws ServiceError `payload_too_large`, `deadline_exceeded`, `invalid_request`, `validation_failed`
 */
export async function* checkedBody(
  request: Request,
  input: DescMessage,
  head: RpcHead,
  limits: StreamLimits,
): AsyncGenerator<Uint8Array> {
  const { protocol, format, query, isCompressed } = head;
  let total = 0;
  const read = async (bytes: Uint8Array, isCompressed: boolean) => {
    const message = isCompressed ? await gunzipBounded(bytes, limits.messageBytesMax) : bytes;
    total += message.byteLength;
    // Messages that were small on the wire may be too large together.
    if (total > limits.bytesMax) throw tooLarge(limits.bytesMax);
    checkMessage(input, message, format === "json");
    return message;
  };
  if (!protocol.isEnveloped) {
    const bytes = query === undefined
      ? await readBytes(request, { ...limits, bytesMax: limits.messageBytesMax })
      : readQuery(query);
    yield await read(bytes, isCompressed);
    return;
  }
  let messages = 0;
  for await (const { flags, data } of readEnvelopes(request, limits)) {
    messages++;
    if ((flags & ~COMPRESSED) !== 0) {
      throw new ServiceError("invalid_request", "Cannot read the message: its flags are not valid in a request");
    }
    if ((flags & COMPRESSED) !== 0 && !isCompressed) {
      throw new ProtocolError("internal", "Cannot read the message: nothing says what it is compressed with");
    }
    yield encodeEnvelope(0, await read(data, (flags & COMPRESSED) !== 0));
  }
  if (messages === 0 && limits.messagesMax === 1) {
    throw new ProtocolError("unimplemented", "Cannot read the message: there is none, and one is needed");
  }
}

function tooMany(messagesMax: number): ServiceError {
  if (messagesMax === 1) {
    return new ProtocolError("unimplemented", "Cannot accept the message: there was one, and no more are taken");
  }
  return new ServiceError(
    "payload_too_large",
    `Cannot accept the message: a stream has at most ${messagesMax} messages`,
  );
}

/** The message in the address of a GET. */
function readQuery(query: URLSearchParams): Uint8Array {
  const text = query.get("message");
  if (text === null) throw new ServiceError("invalid_request", "Cannot read the message: the parameter is missing");
  if (query.get("base64") !== "1") return new TextEncoder().encode(text);
  try {
    return Uint8Array.fromBase64(text.replaceAll("+", "-").replaceAll("/", "_"), { alphabet: "base64url" });
  } catch (cause) {
    throw new ServiceError("invalid_request", "Cannot read the message: it is not base64", { cause });
  }
}

interface Envelope {
  readonly flags: number;
  readonly data: Uint8Array;
}

/** One byte of flags, four of length, big-endian. */
const HEAD_BYTES = 5;
const COMPRESSED = 1;

async function* readEnvelopes(request: Request, limits: StreamLimits): AsyncGenerator<Envelope> {
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
  /** Reads until `length` bytes have arrived; false at the end of the body. */
  const fill = async (length: number) => {
    while (queue.length < length) {
      const { done, value } = await reader.read().catch((cause) => {
        throw fault ?? new ServiceError("invalid_request", "Cannot read the body: it ended too early", { cause });
      });
      if (fault !== undefined) throw fault;
      if (done) return false;
      queue.push(value);
    }
    return true;
  };
  try {
    for (let count = 0;; count++) {
      const timer = setTimeout(() => giveUp(late()), deadlineMs);
      let envelope: Envelope;
      try {
        if (!await fill(HEAD_BYTES)) {
          if (queue.length === 0) return;
          throw new ServiceError("invalid_request", "Cannot read the body: it ended too early");
        }
        const head = new DataView(queue.take(HEAD_BYTES).buffer);
        const length = head.getUint32(1);
        // Checked before the size, so that a message too many is refused as such, however large it is.
        if (count === limits.messagesMax) throw tooMany(limits.messagesMax);
        if (length > messageBytesMax) throw tooLarge(messageBytesMax);
        total += HEAD_BYTES + length;
        if (total > bytesMax) throw tooLarge(bytesMax);
        if (!await fill(length)) throw new ServiceError("invalid_request", "Cannot read the body: it ended too early");
        envelope = { flags: head.getUint8(0), data: queue.take(length) };
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
  const message = "Cannot read the body: the next message took too long";
  return new ServiceError("deadline_exceeded", message, { isCallersFault: true });
}

/** Bytes in the pieces in which they arrive: no byte is copied more than twice. */
class ByteQueue {
  readonly #chunks: Uint8Array[] = [];
  /** The consumed length of the first chunk. */
  #offset = 0;
  length = 0;

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.length += chunk.byteLength;
  }

  /** Takes a copy of the first `length` bytes, which must have arrived. */
  take(length: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(length);
    let filled = 0;
    let gone = 0;
    while (filled < length) {
      const chunk = this.#chunks[gone]!;
      const part = chunk.subarray(this.#offset, this.#offset + length - filled);
      bytes.set(part, filled);
      filled += part.byteLength;
      this.#offset += part.byteLength;
      if (this.#offset < chunk.byteLength) break;
      this.#offset = 0;
      gone++;
    }
    this.#chunks.splice(0, gone);
    this.length -= length;
    return bytes;
  }
}
