/** Reads request bodies: limited in size and time, and parsed strictly. */
import { type BodyLimits, readBytes } from "../edge/read_bytes.ts";
import { ServiceError } from "../errors.ts";
import { parseJson } from "../schema/json_text.ts";

/**
 * Reads a JSON body.
 * @throws ServiceError `payload_too_large`, `unsupported_media_type`, `invalid_request` or `validation_failed`.
 */
export async function readJsonBody(request: Request, limits: BodyLimits): Promise<unknown> {
  refuseMediaType(request);
  return parseJson(await readBytes(request, limits));
}

/** Like `readJsonBody`, for an optional body; undefined if there is none, whatever the media type says. */
export async function readOptionalJsonBody(request: Request, limits: BodyLimits): Promise<unknown> {
  const bytes = await readBytes(request, limits);
  if (bytes.byteLength === 0) return undefined;
  refuseMediaType(request);
  return parseJson(bytes);
}

/**
 * Reads a body as bytes, if it has one of some media types.
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
