/** Files that are packed, unpacked as far as that is believable. */
import { ServiceError } from "../../errors.ts";

/** One file to be imported. */
export interface Entry {
  /** Its path within the folder or archive; of a single file its name. */
  readonly name: string;
  readonly modifiedAt: Date | null;
  /** Reads it from its beginning, each time it is called. */
  open(): AsyncIterable<Uint8Array>;
}

/** What a packed file may grow to, and how far beyond its size: more is no export but an attack. */
const UNPACKED_BYTES_MAX = 4 * 1_073_741_824;
const UNPACKED_RATIO_MAX = 250;
const UNPACKED_BYTES_FREE = 64 * 1_048_576;

/** Unpacks gzip as far as it is believable. @throws ServiceError `payload_too_large` */
export async function* unpack(
  packed: ReadableStream<Uint8Array<ArrayBuffer>>,
  name: string,
  size: number,
): AsyncGenerator<Uint8Array, void> {
  let length = 0;
  try {
    for await (const chunk of packed.pipeThrough(new DecompressionStream("gzip"))) {
      length += chunk.byteLength;
      refuseBomb(name, length, size);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError("invalid_request", `Cannot import: ${name} cannot be unpacked`, { cause: error });
  }
}

/** @throws ServiceError `payload_too_large` for what grows too far */
export function refuseBomb(name: string, unpacked: number, packed: number): void {
  const isTooLarge = unpacked > UNPACKED_BYTES_MAX;
  const isSuspect = unpacked > UNPACKED_BYTES_FREE && unpacked > packed * UNPACKED_RATIO_MAX;
  if (!isTooLarge && !isSuspect) return;
  throw new ServiceError(
    "payload_too_large",
    `Cannot import: ${name} unpacks to ${
      isTooLarge ? "more than 4 GiB" : `more than ${UNPACKED_RATIO_MAX} times its size`
    }`,
  );
}
