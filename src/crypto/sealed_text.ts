/** Seals texts under a secret that only its owner presents, such as an API key: AES-256-GCM, key by HKDF-SHA-256. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const INFO = "svc sealed text v1";

/**
 * Seals a text. `context` is authenticated with it and needed to open it. Returns base64 of salt, nonce, ciphertext and
 * tag.
 */
export function sealText(text: string, secret: string, context: string): string {
  const salt = randomBytes(SALT_BYTES);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", keyOf(secret, salt), nonce).setAAD(new TextEncoder().encode(context));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([salt, nonce, sealed, cipher.getAuthTag()]).toString("base64");
}

/** Opens a sealed text; undefined for another secret, another context or altered bytes. */
export function openText(sealed: string, secret: string, context: string): string | undefined {
  const bytes = Buffer.from(sealed, "base64");
  if (bytes.length < SALT_BYTES + NONCE_BYTES + TAG_BYTES) return undefined;
  const salt = bytes.subarray(0, SALT_BYTES);
  const nonce = bytes.subarray(SALT_BYTES, SALT_BYTES + NONCE_BYTES);
  const body = bytes.subarray(SALT_BYTES + NONCE_BYTES, bytes.length - TAG_BYTES);
  const decipher = createDecipheriv("aes-256-gcm", keyOf(secret, salt), nonce, { authTagLength: TAG_BYTES })
    .setAAD(new TextEncoder().encode(context));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

function keyOf(secret: string, salt: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, salt, INFO, 32));
}
