/** JSON Web Tokens (RFC 7519) that somebody presents, read before anything in them is verified. */
import { Buffer } from "node:buffer";
import { parseJson } from "../schema/json_text.ts";

/** The longest token that is read, in characters: those of Entra that list many groups have about 3,000. */
export const JWT_CHARS_MAX = 8_192;

/** A token whose form is right and whose signature is not verified. */
export interface UnverifiedJwt {
  readonly text: string;
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Whether a text has the form of a signed token: three parts in base64url, the first with a signature's algorithm. */
export function isJwt(text: string): boolean {
  const [header = "", ...others] = text.split(".", 4);
  return others.length === 2 && typeof readPart(header.slice(0, JWT_CHARS_MAX))?.["alg"] === "string";
}

/**
 * Parses a token. Every other text of the same token (padding, spaces, unused bits) is refused, and so is a name that an
 * object has twice: two readers could understand it differently.
 * @returns undefined when it is malformed
 */
export function readJwt(text: string): UnverifiedJwt | undefined {
  const [first = "", second = "", third = "", ...more] = text.split(".", 4);
  const header = readPart(first), claims = readPart(second);
  if (header === undefined || claims === undefined || more.length > 0 || readBase64Url(third) === undefined) {
    return undefined;
  }
  return { text, header, claims };
}

function readPart(text: string): Record<string, unknown> | undefined {
  const bytes = readBase64Url(text);
  if (bytes === undefined) return undefined;
  try {
    const value = parseJson(bytes);
    return value === null || typeof value !== "object" || Array.isArray(value)
      ? undefined
      : value as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** The bytes of a text in base64url; undefined for every text except the one canonical encoding of its bytes. */
export function readBase64Url(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(text) || text.length % 4 === 1) return undefined;
  const bytes = Uint8Array.from(Buffer.from(text, "base64url"));
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true }) === text ? bytes : undefined;
}
