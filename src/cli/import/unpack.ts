/** Decompresses files within plausible limits. */
import { ServiceError } from "../../errors.ts";

/** One file to be imported. */
export interface ArchiveEntry {
  /** Its path within the folder or archive; for a single file, its name. */
  readonly name: string;
  readonly modifiedAt: Date | null;
  /** Reads it from its beginning at each call. */
  open(): AsyncIterable<Uint8Array>;
}

/** The largest decompressed size, absolute and relative to the file: a larger one is no export but an attack. */
const UNPACKED_BYTES_MAX = 4 * 1_073_741_824;
const UNPACKED_RATIO_MAX = 250;
const UNPACKED_BYTES_FREE = 64 * 1_048_576;

/** Decompresses gzip within these limits. @throws ServiceError `payload_too_large` */
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

/** @throws ServiceError `payload_too_large` for data beyond these limits */
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
