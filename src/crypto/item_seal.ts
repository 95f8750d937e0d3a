/**
 * Sealing items for a peer: AES-256-GCM under a key that both instances have, each item with a nonce of its own. The native
 * implementation: a page has hundreds of items, and `@noble/ciphers` takes seven times as long.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const encoder = new TextEncoder();

export interface Sealed {
  /** 12 random bytes, base64url without padding. */
  readonly nonce: string;
  /** Ciphertext and tag, base64url without padding. */
  readonly sealed: string;
}

/** Seals a text. `context` is authenticated with the text and is needed to open it. */
export function sealItem(text: string, key: Uint8Array, context: string, nonce = newNonce()): Sealed {
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(encoder.encode(context));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return { nonce: toBase64Url(nonce), sealed: toBase64Url(sealed) };
}

function newNonce(): Uint8Array {
  return new Uint8Array(randomBytes(NONCE_BYTES));
}

/** Opens a sealed text; undefined for another key, another context or altered bytes. Never throws. */
export function openItem({ nonce, sealed }: Sealed, key: Uint8Array, context: string): Uint8Array | undefined {
  const [start, bytes] = [readBase64(nonce), readBase64(sealed)];
  if (start?.length !== NONCE_BYTES || bytes === undefined || bytes.length < TAG_BYTES) return undefined;
  try {
    const decipher = createDecipheriv(CIPHER, key, start, { authTagLength: TAG_BYTES }).setAAD(encoder.encode(context));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** Encodes bytes as base64url without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Decodes base64 in either alphabet, padded or not; undefined for a text that is not base64 or sets unused bits. */
export function readBase64(text: string): Uint8Array | undefined {
  let end = text.length;
  while (text[end - 1] === "=") end--;
  const bare = text.slice(0, end).replaceAll("-", "+").replaceAll("_", "/");
  try {
    return Uint8Array.fromBase64(bare.padEnd(Math.ceil(bare.length / 4) * 4, "="), { lastChunkHandling: "strict" });
  } catch {
    return undefined;
  }
}
