/** gzip for messages, with a limit while inflating, so that a bomb ends at the limit. */
import { gunzip, gzip } from "node:zlib";
import type { Compression } from "@connectrpc/connect/protocol";
import { tooLarge } from "../edge/admit.ts";
import { ServiceError } from "../errors.ts";

export const GZIP: Compression = {
  name: "gzip",
  compress: (bytes) => callZlib((done) => gzip(bytes, done)),
  decompress: gunzipBounded,
};

/** @throws ServiceError `payload_too_large` beyond `bytesMax`, `invalid_request` for bytes that are not gzip. */
export async function gunzipBounded(bytes: Uint8Array, bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
  if (bytes.byteLength === 0) return new Uint8Array(0);
  try {
    return await callZlib((done) => gunzip(bytes, { maxOutputLength: bytesMax }, done));
  } catch (cause) {
    if ((cause as { code?: string }).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(bytesMax);
    throw new ServiceError("invalid_request", "Cannot read the message: it is not complete gzip data", { cause });
  }
}

function callZlib(call: (done: (error: Error | null, bytes: Uint8Array) => void) => void) {
  return new Promise<Uint8Array<ArrayBuffer>>((resolve, reject) => {
    call((error, bytes) => error ? reject(error) : resolve(bytes as Uint8Array<ArrayBuffer>));
  });
}
