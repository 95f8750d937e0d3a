/** Reads a whole body, with limits on size and time. */
import { ServiceError } from "../errors.ts";
import { tooLarge } from "./admit.ts";

/** The limits on the body's size and on the time for reading it. */
export interface BodyLimits {
  readonly bytesMax: number;
  /** A body that takes longer than this is given up, in milliseconds. */
  readonly deadlineMs: number;
  /** Ends the reading with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads the whole body as bytes.
 * @throws ServiceError `payload_too_large`, `deadline_exceeded`, `invalid_request` for a body that breaks off.
 */
export async function readBytes(request: Request, limits: BodyLimits): Promise<Uint8Array> {
  const { bytesMax, deadlineMs, signal } = limits;
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (request.body) {
    const reader = request.body.getReader();
    let fault: unknown;
    const giveUp = (reason: unknown) => {
      fault ??= reason;
      reader.cancel(reason).catch(() => {});
    };
    const timer = setTimeout(() => giveUp(late()), deadlineMs);
    const onAbort = () => giveUp(signal!.reason);
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted) onAbort();
    try {
      for (;;) {
        const { done, value } = await reader.read().catch((cause) => {
          throw fault ?? brokenOff(cause);
        });
        // A cancelled body ends like a complete one.
        if (fault !== undefined) throw fault;
        if (done) break;
        length += value.byteLength;
        if (length > bytesMax) {
          await reader.cancel().catch(() => {});
          throw tooLarge(bytesMax);
        }
        chunks.push(value);
      }
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }
  if (chunks.length === 1) return chunks[0]!;
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

function late(): ServiceError {
  return new ServiceError("deadline_exceeded", "Cannot read the body: it took too long", { isCallersFault: true });
}

/** The caller disconnected before its body was complete, or its framing is broken: this is no fault of the service. */
function brokenOff(cause: unknown): ServiceError {
  return new ServiceError("invalid_request", "Cannot read the body: it ended too early", { cause });
}
