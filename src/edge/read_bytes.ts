/** Reading a body whole: bounded, in time too. Decisions §1 "Sizes", security T56. */
import { ServiceError } from "../errors.ts";
import { tooLarge } from "./admit.ts";

/** How much of a body is read, and for how long. */
export interface BodyLimits {
  readonly bytesMax: number;
  /** A body that takes longer than this is given up, in milliseconds. */
  readonly deadlineMs: number;
}

/**
 * Reads the whole body as bytes.
 * @throws ServiceError `payload_too_large`, `deadline_exceeded`, `invalid_request` for one that breaks off.
 */
export async function readBytes(request: Request, { bytesMax, deadlineMs }: BodyLimits): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (request.body) {
    const reader = request.body.getReader();
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      reader.cancel(new Error("body deadline")).catch(() => {});
    }, deadlineMs);
    try {
      for (;;) {
        const { done, value } = await reader.read().catch(refuseBrokenBody);
        if (done) break;
        length += value.byteLength;
        if (length > bytesMax) {
          await reader.cancel().catch(() => {});
          throw tooLarge(bytesMax);
        }
        chunks.push(value);
      }
      // What is cancelled ends like what is whole.
      if (late) {
        throw new ServiceError("deadline_exceeded", "Cannot read the body: it took too long");
      }
    } finally {
      clearTimeout(timer);
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

/** The caller has gone before its body was complete, or its framing is broken: no fault of the service. */
function refuseBrokenBody(cause: unknown): never {
  throw new ServiceError("invalid_request", "Cannot read the body: it broke off", { cause });
}
