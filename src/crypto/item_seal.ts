/** Sealing items for a peer: AES-256-GCM under a key that both have, each with a nonce of its own. */
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

/** Seals a text; `context` is bound to it and needed to open it. */
export function sealItem(text: string, key: Uint8Array, context: string, nonce = newNonce()): Sealed {
  const sealed = gcm(key, nonce, encoder.encode(context)).encrypt(encoder.encode(text));
  return { nonce: toBase64Url(nonce), sealed: toBase64Url(sealed) };
}

function newNonce(): Uint8Array {
  return new Uint8Array(randomBytes(NONCE_BYTES));
}

/** Opens what was sealed; undefined under another key, with another context, or when it was altered. Never throws. */
export function openItem({ nonce, sealed }: Sealed, key: Uint8Array, context: string): Uint8Array | undefined {
  const [start, bytes] = [readBase64(nonce), readBase64(sealed)];
  if (start?.length !== NONCE_BYTES || bytes === undefined || bytes.length < TAG_BYTES) return undefined;
  try {
    return gcm(key, start, encoder.encode(context)).decrypt(bytes);
  } catch {
    return undefined;
  }
}

export function toBase64Url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** The bytes of base64 in either alphabet, padded or not; undefined for what is none, or has bits left over. */
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
