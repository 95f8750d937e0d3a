/** Seals items for a peer with AES-256-GCM, under a key that both sides have and with a new nonce for each item. */
import { gcm } from "@noble/ciphers/aes.js";
import { randomBytes } from "node:crypto";

export const SEAL_KEY_BYTES = 32;
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
  const sealed = gcm(key, nonce, encoder.encode(context)).encrypt(encoder.encode(text));
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
    return gcm(key, start, encoder.encode(context)).decrypt(bytes);
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
