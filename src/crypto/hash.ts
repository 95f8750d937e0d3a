/** SHA-256 digests and comparison in constant time. */
import { createHash, timingSafeEqual } from "node:crypto";
import { canonicalJson } from "./canonical_json.ts";

/** SHA-256 as 64 lower-case hex characters; a text is hashed as its UTF-8 bytes. */
export function sha256Hex(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

/** SHA-256 as 32 bytes. */
export function sha256(data: string | Uint8Array): Uint8Array {
  return createHash("sha256").update(data).digest();
}

/**
 * The content hash of a unit: SHA-256 hex of its canonical JSON (RFC 8785), the same on every instance.
 * @throws ServiceError `validation_failed` when the value has no canonical form
 */
export function contentHash(value: unknown): string {
  return sha256Hex(canonicalJson(value));
}

/**
 * Whether two secrets are equal, in a time that does not depend on where they differ or how long they are.
 * Both are hashed first, so unequal lengths are compared like equal ones.
 */
export function equalSecrets(a: string | Uint8Array, b: string | Uint8Array): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}
