/**
 * The text form of API keys: a prefix and 61 characters, made and taken apart without I/O.
 *
 * ```
 * svc_live_ 4fR7…(12)  9aZ…(43)         0x7Kd2
 * prefix    public id  secret           check
 * ```
 *
 * - prefix: `svc_live_` (workspace keys), `mk_admin_` (break-glass admins) or `mk_broker_` (apps that make workspaces);
 * - public id: 12 base62 characters, looked up in the database and shown in lists and logs; not a secret;
 * - secret: 32 random bytes as one big-endian number in 43 base62 characters; only its Argon2id hash is stored;
 * - check: CRC-32 (ISO-HDLC, as in zlib) of everything before it, in 6 base62 characters, so that a mistyped or invented
 *   key is refused before any database or Argon2 work, and a scanner can tell a leaked key from a look-alike offline.
 *
 * The base62 alphabet is `0-9A-Za-z` in this order.
 */
import { crc32 } from "node:zlib";

export const API_KEY_PREFIXES = ["svc_live_", "mk_admin_", "mk_broker_"] as const;
export type ApiKeyPrefix = (typeof API_KEY_PREFIXES)[number];

/** The published regular expression, unanchored: for secret scanners and for redaction. */
export const API_KEY_REGEX = "(?:svc_live_|mk_admin_|mk_broker_)[0-9A-Za-z]{61}";

/** How many letters and digits follow the prefix of every key. */
export const API_KEY_BODY_LENGTH = 61;

const WHOLE_KEY = new RegExp(`^${API_KEY_REGEX}$`);
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PUBLIC_ID_LENGTH = 12;
const SECRET_LENGTH = 43;
const CHECK_LENGTH = 6;

/** A key's parts. `secret` is not trusted yet: only the form and the check were verified. */
export interface ParsedApiKey {
  readonly prefix: ApiKeyPrefix;
  readonly publicId: string;
  readonly secret: string;
}

export interface GeneratedApiKey extends ParsedApiKey {
  /** The whole key, which is shown once and never stored. */
  readonly key: string;
}

/** Makes a new key from the operating system's randomness: 71 bits of public id, 256 bits of secret. */
export function generateApiKey(prefix: ApiKeyPrefix): GeneratedApiKey {
  const publicId = randomBase62(PUBLIC_ID_LENGTH);
  const secret = toBase62(bytesToBigInt(crypto.getRandomValues(new Uint8Array(32))), SECRET_LENGTH);
  const body = prefix + publicId + secret;
  return { key: body + checkOf(body), prefix, publicId, secret };
}

/**
 * Takes a key apart; `null` when the length, prefix, alphabet or check is wrong. Synchronous, some microseconds.
 *
 * The check is compared with `!==`: it is a public function of the text that the caller sent, so timing reveals nothing.
 */
export function parseApiKey(text: string): ParsedApiKey | null {
  if (!WHOLE_KEY.test(text)) return null;
  const prefix = API_KEY_PREFIXES.find((one) => text.startsWith(one))!;
  const body = text.slice(0, -CHECK_LENGTH);
  if (checkOf(body) !== text.slice(-CHECK_LENGTH)) return null;
  const parts = body.slice(prefix.length);
  return { prefix, publicId: parts.slice(0, PUBLIC_ID_LENGTH), secret: parts.slice(PUBLIC_ID_LENGTH) };
}

/** CRC-32 of a text in six base62 characters: detects cut or mistyped texts, proves nothing. */
export function checkOf(body: string): string {
  return toBase62(BigInt(crc32(body)), CHECK_LENGTH);
}

function toBase62(value: bigint, length: number): string {
  let text = "";
  for (let rest = value; text.length < length; rest /= 62n) text = ALPHABET[Number(rest % 62n)] + text;
  return text;
}

function bytesToBigInt(bytes: Uint8Array): bigint {
  return BigInt(`0x${bytes.toHex()}`);
}

/** Uniform characters: bytes of 248 and more are discarded, because 256 is not a multiple of 62. */
function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(2 * length))) {
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
    }
  }
  return text;
}
