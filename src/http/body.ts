/** Reading request bodies: bounded, in time too, and parsed strictly. Decisions §1 "Bad input", "Sizes". */
import { tooLarge } from "../edge/admit.ts";
import { ServiceError } from "../errors.ts";
import { parseJson } from "../schema/json_text.ts";

/** How much of a body is read, and for how long. */
export interface BodyLimits {
  readonly bytesMax: number;
  /** A body that takes longer than this is given up, in milliseconds. */
  readonly deadlineMs: number;
}

/**
 * Reads a JSON body.
 * @throws ServiceError `payload_too_large`, `unsupported_media_type`, `invalid_request` or `validation_failed`.
 */
export async function readJsonBody(request: Request, limits: BodyLimits): Promise<unknown> {
  refuseMediaType(request);
  return parseJson(await readBytes(request, limits));
}

/** As `readJsonBody` where a body may be left out; undefined then, whatever the media type says. */
export async function readOptionalJsonBody(request: Request, limits: BodyLimits): Promise<unknown> {
  const bytes = await readBytes(request, limits);
  if (bytes.byteLength === 0) return undefined;
  refuseMediaType(request);
  return parseJson(bytes);
}

/**
 * Reads a body of one of some media types as bytes.
 * @throws ServiceError `payload_too_large`, `unsupported_media_type`, `invalid_request` when there is none.
 */
export async function readTypedBytes(
  request: Request,
  mediaTypes: readonly string[],
  limits: BodyLimits,
): Promise<Uint8Array> {
  refuseEncoding(request);
  const [type = "", charset] = (request.headers.get("content-type") ?? "").toLowerCase().split(";").map((part) =>
    part.trim()
  );
  if (!mediaTypes.includes(type) || (charset !== undefined && !/^charset="?utf-8"?$/.test(charset))) {
    throw new ServiceError(
      "unsupported_media_type",
      `Cannot read the body: Content-Type is none of ${mediaTypes.join(", ")}`,
    );
  }
  const bytes = await readBytes(request, limits);
  if (bytes.byteLength === 0) throw new ServiceError("invalid_request", "Cannot read the body: it is empty");
  return bytes;
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

function refuseMediaType(request: Request): void {
  refuseEncoding(request);
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/(merge-patch\+)?json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type)) {
    throw new ServiceError("unsupported_media_type", "Cannot read the body: Content-Type is not application/json");
  }
}

function refuseEncoding(request: Request): void {
  const encoding = request.headers.get("content-encoding");
  if (encoding === null || encoding.toLowerCase() === "identity") return;
  throw new ServiceError("unsupported_media_type", "Cannot read the body: Content-Encoding is not supported");
}
